// Package backup proves that backups of a running server restore to a folder without damage that has everything that was
// accepted before the mark, even if backups and the server are killed meanwhile.
package backup
