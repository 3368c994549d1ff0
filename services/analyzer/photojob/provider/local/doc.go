// Package local is the provider of photo jobs that works offline and costs nothing.
// It describes a photo by what can be measured (colors, sharpness, light, whether it
// is a document), the faces and the objects it finds, and edits by the phrases of the
// package grammar. It does not judge safety, and says which part of a prompt it did not
// do.
//
// The same photo, prompt and options give the same bytes with the same Version.
package local
