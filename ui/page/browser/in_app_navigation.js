// Links within the app, for components that draw some: they lead on in the same session.

/** Go to a page of the app as its own navigation does. */
export function goTo(address) {
  history.pushState({}, "", new URL(address, document.baseURI));
  dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0);
}

/** A link was clicked: it leads on here, or where a person asks for it in a tab of its own. */
export function followed(event, first = (_link) => {}, link = event.currentTarget) {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  first(link);
  goTo(link.href);
}
