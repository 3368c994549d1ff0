// Adds to Redoc's markup, after each change, the roles, names, heading levels and tab stops that it lacks.
{
  const names = new WeakMap(); // of elements, as Redoc sets them

  const landmarks = () => {
    for (const [selector, role, name] of [[".menu-content", "navigation", "Contents"], ["[data-testid=search-dialog]", "dialog", "Search"]]) {
      const element = document.querySelector(selector);
      if (!element) continue;
      set(element, "role", role);
      set(element, "aria-label", name);
    }
  };

  // The search field is a div, which opens a dialog when it is clicked.
  const search = () => {
    const field = document.querySelector("[data-testid=search-trigger]");
    if (!field || field.role) return;
    field.role = "button";
    field.tabIndex = 0;
    field.addEventListener("keydown", (e) => {
      if (e.key !== "Enter" && e.key !== " ") return;
      e.preventDefault();
      field.click();
    });
  };

  // The level of a heading is at most one more than that of the heading it belongs to.
  const headings = () => {
    const above = [];
    for (const heading of document.querySelectorAll("main :is(h1, h2, h3, h4, h5, h6)")) {
      const level = Number(heading.tagName[1]);
      while (above.at(-1) >= level) above.pop();
      above.push(level);
      set(heading, "aria-level", String(above.length));
    }
  };

  // The name of a control contains its text.
  const labels = () => {
    for (const control of document.querySelectorAll("button[aria-label], a[aria-label]")) {
      const text = control.textContent.trim();
      const label = control.getAttribute("aria-label");
      if (names.get(control)?.shown !== label) names.set(control, { own: label });
      const name = names.get(control);
      name.shown = name.own.toLowerCase().includes(text.toLowerCase()) ? name.own : `${name.own}: ${text}`;
      set(control, "aria-label", name.shown);
    }
  };

  // Keys scroll a code block that is too wide.
  const code = () => {
    for (const block of document.querySelectorAll("pre[data-language]")) set(block, "tabindex", "0");
  };

  const set = (element, attribute, value) => {
    if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
  };

  let pending = 0;
  const update = () => {
    pending = 0;
    for (const part of [landmarks, search, headings, labels, code]) part();
  };
  new MutationObserver(() => { pending ||= requestAnimationFrame(update); }).observe(document, { subtree: true, childList: true, characterData: true });
}
