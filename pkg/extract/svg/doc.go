// Package svg draws SVG with resvg, in a sandbox of package engines. The target wasm of the Makefile fetches
// resvg.wasm.br. LICENSE and NOTICE are those of resvg and its dependencies.
package svg
