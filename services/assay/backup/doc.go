// Package backup stores backups of a data folder in a repository: a folder, or a prefix of an S3 bucket.
//
// A repository contains chunks, named by the SHA-256 of their content and compressed with zstd, and for each backup a
// manifest, which is written last. A chunk is part of a large file, or several small files. A backup stores only the chunks
// that the repository lacks, so backups after the first are small, and a backup that was interrupted is continued by the
// next one. A manifest refers to chunks with the list of all files of the backup.
//
//	chunks/ab/abcd…        chunks
//	backups/<id>.json      manifests
//	lock.json              the backup that writes to the repository, with the time when it counts as dead
//	partial/               files that are being written, in a folder only
//
// The package does not depend on the engines: a backup consists of files, with their paths in the data folder.
package backup
