"""One page as a script of its own, for a terminal or a test, which say which one: no browser is there."""

if __name__ == "__main__":  # the processes that compute import this file too
    import streamlit as st

    from pages.kit import watching
    from pages.topics import page_at

    st.session_state.setdefault(watching.NO_BROWSER, True)
    page_at(st.session_state["visited"]).run()
