// The theme: the system theme, or the one selected in this browser.
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const key = "assay-theme"; // also read by theme.ts at the root
const chosen = localStorage.getItem(key);

export const theme = signal<Theme>(chosen === "light" || chosen === "dark" ? chosen : "system");

export function setTheme(to: Theme): void {
  theme.value = to;
  if (to === "system") {
    localStorage.removeItem(key);
    delete document.documentElement.dataset["theme"];
  } else {
    localStorage.setItem(key, to);
    document.documentElement.dataset["theme"] = to;
  }
}
