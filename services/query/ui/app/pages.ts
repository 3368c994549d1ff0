// Prints the paths of the areas' pages, one per line. The build runs it in Node.js, for the server of the app.
import "./test/browser.js";
import { areas } from "./areas.js";

for (const route of areas.flatMap((area) => area.routes)) console.log(route.path);
