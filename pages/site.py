"""The script of the site: the menu of all pages, and the page that is shown."""

if __name__ == "__main__":  # worker processes import this file too, without running it
    import streamlit as st

    from pages.topics import GROUPS
    from server.script_slots import script_slot

    with script_slot():
        menu = {name: [page.in_menu for page in pages] for name, pages in GROUPS.items()}
        page = st.navigation(menu, position="top")
        st.set_page_config(page_title=f"{page.title} · privdemo", page_icon="🎲", layout="wide")
        page.run()
