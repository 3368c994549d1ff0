// Runs before the page is rendered, so that the page does not flash in another theme.
{
  const chosen = localStorage.getItem("assay-theme");
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset["theme"] = chosen;
}
