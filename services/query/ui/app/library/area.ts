import { type Area, recentItems } from "../area.js";
import { Library, Search } from "../ui/icon.js";
import { upload } from "./upload.js";
import "./library.css";
import "./file.css";

const within = (path: string): boolean => path === "/library" || path.startsWith("/library/");

export const area: Area = {
  name: "library",
  label: "Library",
  nav: [
    { href: "/library", label: "Library", icon: Library, match: within },
    { href: "/search", label: "Search", icon: Search, match: (path) => path === "/search" },
  ],
  cards: [{
    href: "/library", title: "Library", icon: Library,
    text: "Store any file in folders, with previews, records and full-text search.",
  }],
  routes: [
    { path: "/library", title: "Library", load: () => import("./page.js") },
    { path: "/library/trash", title: "Trash", load: () => import("./trash.js") },
    { path: "/library/models", title: "Models", load: () => import("./models.js") },
    { path: "/library/shared", title: "Shared with me", load: () => import("./shared.js") },
    { path: "/library/public", title: "Public", load: () => import("./shared.js") },
    { path: "/library/:id", title: "Library", load: () => import("./page.js") },
    { path: "/search", title: "Search", load: () => import("./search.js") },
  ],
  pageOf: (id) => `/library/${id}`,
  recent: () => import("./recent.js").then(({ recent }) => recent(recentItems)),
  upload,
};
