// The story of the home page, which needs no server in the app either.
function start() {
  render("secret", lesson.secret);
}
