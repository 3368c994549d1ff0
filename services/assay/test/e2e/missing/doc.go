// Package missing proves that nothing is deleted because something else is missing, and that the server refuses and
// reports data that is damaged or does not belong together.
package missing
