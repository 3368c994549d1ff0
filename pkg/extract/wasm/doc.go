// Package wasm processes untrusted files with C, C++ and Rust programs that were compiled to WebAssembly. Each
// document has its own instance of a program with its own bounded memory. An instance has no access to files, the
// network or a clock except for those that the program's package provides. When its context is done, an instance stops
// even in the middle of a call. A document that crashes the program ends only its own instance, with an error.
//
// An instance serves all calls for one document and is never reused for another document, which could read data of
// the first one. Starting an instance takes a few milliseconds.
package wasm
