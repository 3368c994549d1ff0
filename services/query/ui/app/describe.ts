// Prints what the build needs of the areas, as JSON: the paths of their pages for the server, and their labels for the pages
// of operators. It runs in Node.js.
import "./test/browser.js";
import { areas } from "./areas.js";

console.log(JSON.stringify({
  paths: areas.flatMap((area) => area.routes.map((route) => route.path)),
  labels: Object.fromEntries(areas.map((area) => [area.name, area.label])),
}));
