"""The site: the menu of all pages, and the style they share."""

if __name__ == "__main__":  # the processes that compute import this file too, and need none of it
    import streamlit as st

    from pages.topics import PAGES
    from server.turns import turn

    with turn():
        page = st.navigation([page.in_menu for page in PAGES], position="top")
        st.set_page_config(page_title=f"{page.title} · privdemo", page_icon="🎲", layout="wide")
        page.run()
