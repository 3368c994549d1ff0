import type { Area } from "../area.js";
import { TableIcon } from "../ui/icon.js";
import { upload } from "./upload.js";
import "./linecount.css";

export const area: Area = {
  name: "linecount",
  label: "Line counts",
  nav: [{ href: "/linecounts", label: "Line counts", icon: TableIcon, match: (path) => path === "/linecounts" }],
  cards: [{ href: "/linecounts", title: "Line counts", text: "Count the lines of texts.", icon: TableIcon }],
  routes: [{ path: "/linecounts", title: "Line counts", load: () => import("./list.js") }],
  upload,
};
