// Package release makes the files of a release from a commit: static programs for six platforms in archives, Debian
// packages, images, a Homebrew formula, an install script, a list of components for each program (SBOM), checksums and a
// signature.
//
// The programs are built in a copy of the commit, so that nothing else is in them. All files are reproducible: the same
// commit, version, Go version, CA roots (in images) and key give the same bytes, whatever the folder and the machine.
package release
