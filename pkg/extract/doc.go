// Package extract lists the formats of files that the packages of this module read, and detects them.
//
// The module reads bytes and returns text, pictures, tables, records and metadata. It uses no network, except package
// convert if a converter is configured, stores nothing, and needs no other program. Memory and time are bounded: most
// packages have a function Memory that returns the most that reading a file of a size can use, and stop when their context
// is done. An error about the content is or wraps a [github.com/assay-project/assay/pkg/extract/reason.Reason], a sentence
// for people; another attempt with the same content fails in the same way.
//
// The formats:
//
//   - plaintext: text in any charset; wordstats, language and sentiment analyze it
//   - office: Word, Excel, PowerPoint, OpenDocument; sheet: the rows of workbooks and of CSV
//   - pdf: text, properties and pictures of pages; webpage: text and article of HTML; mhtml: pages in one file
//   - molecule, crystal, spectrum, contact: files of records; structure identifies molecules
//   - pixels: pictures; svg: drawings; microscopy: headers; photo: describes and edits photos
//
// What they share: records, zipxml, wasm (sandboxed programs), budget (memory), decimal, reason and stamp.
package extract
