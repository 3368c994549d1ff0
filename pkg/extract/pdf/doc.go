// Package pdf reads PDF documents with PDFium, the PDF library of Chromium, in a sandbox of
// package engines: pages, text with the values of forms and annotations, metadata, and
// pictures of pages.
//
// The target wasm of the Makefile fetches pdfium.wasm.br. LICENSE and NOTICE are those of PDFium
// and its dependencies.
package pdf
