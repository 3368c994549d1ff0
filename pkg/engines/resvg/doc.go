// Package resvg draws SVG with resvg, in a sandbox of package engines. Make wasm fetches resvg.wasm.gz; LICENSE and
// NOTICE are those of resvg and its dependencies.
package resvg
