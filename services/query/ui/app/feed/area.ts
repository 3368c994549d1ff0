import type { Area } from "../area.js";
import { Feed } from "../ui/icon.js";
import "./feed.css";

export const area: Area = {
  name: "feed",
  label: "Feed",
  nav: [{ href: "/feed", label: "Feed", icon: Feed, match: (path) => path === "/feed" || path.startsWith("/feed/") }],
  cards: [{ href: "/feed", title: "Feed", text: "Follow the sentiment of messages and news in real time.", icon: Feed }],
  routes: [{ path: "/feed", title: "Feed", load: () => import("./page.js") }],
};
