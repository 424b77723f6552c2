"""Run one page as a script of its own, without a browser; a test sets the page in the session."""

if __name__ == "__main__":  # worker processes import this file too, without running it
    import streamlit as st

    from pages.kit import number_control
    from pages.topics import page_at

    st.session_state.setdefault(number_control.NO_BROWSER, True)
    page_at(st.session_state["visited"]).run()
