import { type Area, recentItems } from "../area.js";
import { Image } from "../ui/icon.js";
import { upload } from "./upload.js";
import "./photojob.css";

export const area: Area = {
  name: "photojob",
  label: "Photo jobs",
  nav: [{ href: "/photos", label: "Photos", icon: Image, match: (path) => path === "/photos" || path.startsWith("/photos/") }],
  cards: [{ href: "/photos", title: "Photos", text: "Describe photos and edit them with a prompt.", icon: Image }],
  routes: [
    { path: "/photos", title: "Photos", load: () => import("./gallery.js") },
    { path: "/photos/:id", title: "Photo", load: () => import("./photo.js") },
    { path: "/photos/batches/:id", title: "Batch of photos", load: () => import("./batch.js") },
  ],
  pageOf: (id) => `/photos/${id}`,
  recent: () => import("./recent.js").then(({ recent }) => recent(recentItems)),
  upload,
};
