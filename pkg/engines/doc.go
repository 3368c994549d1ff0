// Package engines runs C, C++ and Rust programs that were compiled to WebAssembly on untrusted files. Each document
// gets its own instance with its own bounded memory, and no files, network or clock except those that the program's
// package provides. The end of the instance's context stops it at any point. A document that crashes the program
// ends only its own instance, with an error.
//
// An instance serves all calls for one document and is never reused for another, which could read data of the
// first. A start takes a few milliseconds.
package engines
