// Package chaos is a test that only `make chaos` runs, with the build tag chaos.
package chaos
