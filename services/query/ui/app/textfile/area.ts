import { type Area, recentItems } from "../area.js";
import { FileText } from "../ui/icon.js";
import { upload } from "./upload.js";
import "./textfile.css";

export const area: Area = {
  name: "textfile",
  label: "Text files",
  nav: [{ href: "/files", label: "Text files", icon: FileText, match: (path) => path === "/files" || path.startsWith("/files/") }],
  cards: [{ href: "/files", title: "Text files", text: "Count words and see which are most frequent.", icon: FileText }],
  routes: [
    { path: "/files", title: "Text files", load: () => import("./list.js") },
    { path: "/files/:id", title: "Text file", load: () => import("./file.js") },
  ],
  pageOf: (id) => `/files/${id}`,
  recent: () => import("./recent.js").then(({ recent }) => recent(recentItems)),
  upload,
};
