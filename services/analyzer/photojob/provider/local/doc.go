// Package local implements a provider of photo jobs that works offline and free of charge. It
// describes a photo by measurements (colors, sharpness, light, whether it is a document) and by the
// faces and objects that it finds. It edits a photo with the instructions of package grammar, and
// reports the parts of a prompt that it did not apply. It does not rate safety.
//
// The same photo, prompt and options produce the same bytes with the same Version.
package local
