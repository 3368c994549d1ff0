// Package engines runs C, C++ and Rust programs that were compiled to WebAssembly on files
// that nobody vouches for. Each document gets an instance of its own, with memory of its own
// that is bounded, and no files, network or clock but what the program's package gives it.
// The end of the instance's context stops it wherever it is. Whatever a document does to the
// program ends with its instance, as an error.
//
// An instance serves all questions about one document and never a second document, which
// could read what is left of the first. A start takes some milliseconds.
package engines
