// Package rdkit identifies and lays out molecules with RDKit, in a sandbox of package engines. The target wasm of the
// Makefile fetches rdkit.wasm.br. LICENSE and NOTICE are those of RDKit and its dependencies.
package rdkit
