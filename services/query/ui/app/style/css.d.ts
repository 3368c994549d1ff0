// Style sheets that a script imports; the build bundles them.
declare module "*.css";
