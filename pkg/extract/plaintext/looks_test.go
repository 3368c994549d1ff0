package plaintext

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zipOf(t *testing.T, files ...string) string {
	return written(t, func(w io.Writer) error {
		z := zip.NewWriter(w)
		for _, name := range files {
			f, err := z.Create(name)
			if err != nil {
				return err
			}
			if _, err := io.WriteString(f, "content"); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

func TestNotText(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	elf, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	picture := image.NewGray(image.Rect(0, 0, 9, 9))
	random := make([]byte, 10_000)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	cases := []struct{ name, content, looks string }{
		{"PDF", "%PDF-1.7\n%\xE2\xE3\xCF\xD3\n1 0 obj", "a PDF document (application/pdf)"},
		{"only the header of a PDF", "%PDF-1.7\n", "a PDF document (application/pdf)"},
		{"PDF with NULs", "%PDF-1.7\n\x00\x00", "a PDF document (application/pdf)"},
		{"PDF in ASCII", "%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", "a PDF document (application/pdf)"},
		{"JPEG", written(t, func(w io.Writer) error { return jpeg.Encode(w, picture, nil) }), "an image in the format JPEG (image/jpeg)"},
		{"PNG", written(t, func(w io.Writer) error { return png.Encode(w, picture) }), "an image in the format PNG (image/png)"},
		{"GIF", written(t, func(w io.Writer) error { return gif.Encode(w, picture, nil) }), "an image in the format GIF (image/gif)"},
		{"gzip", written(t, func(w io.Writer) error {
			z := gzip.NewWriter(w)
			_, err := io.WriteString(z, "some text")
			return errors.Join(err, z.Close())
		}), "gzip-compressed data (application/gzip)"},
		{"zip", zipOf(t, "a.txt"), "a ZIP archive (application/zip)"},
		{"docx", zipOf(t, "[Content_Types].xml", "_rels/.rels", "word/document.xml"), "a Word document (application/vnd.openxmlformats-officedocument.wordprocessingml.document)"},
		{"program", string(elf), "an ELF program (application/x-executable)"},
		{"SQLite", "SQLite format 3\x00\x10\x00", "an SQLite database (application/vnd.sqlite3)"},
		{"random bytes", string(random), "binary data (application/octet-stream)"},
		{"text with a NUL", "some text\x00and more", "binary data (application/octet-stream)"},
		{"control characters", "\x01\x02\x03\x04 a", "binary data (application/octet-stream)"},
		{"binary data after a byte order mark", "\xFF\xFE\x01\x00\x00\x00\x02\x00", "binary data"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := newReader(strings.NewReader(c.content), "text/plain; charset=utf-8")
			notText, ok := errors.AsType[*NotTextError](err)
			if !ok || notText.Looks != c.looks {
				t.Fatalf("got %v; want %q", err, c.looks)
			}
			if want := "the content is not text: it looks like " + c.looks; err.Error() != want {
				t.Errorf("got error %q, want %q", err, want)
			}
		})
	}
}

func TestTextThatLooksBinary(t *testing.T) {
	cases := map[string]string{
		"JSON":                                 `{"a": [1, 2, {"b": null}]}`,
		"newline-delimited JSON":               "{\"a\":1}\n{\"a\":2}\n",
		"CSV":                                  "a,b,c\n1,2,3\n4,5,6\n",
		"HTML":                                 "<!DOCTYPE html><html><body>Hi</body></html>",
		"XML":                                  `<?xml version="1.0" encoding="UTF-8"?><a/>`,
		"SVG":                                  `<svg xmlns="http://www.w3.org/2000/svg"/>`,
		"RTF":                                  `{\rtf1\ansi Hello}`,
		"Go":                                   "package main\n\nfunc main() {}\n",
		"shell":                                "#!/bin/sh\necho hi\n",
		"Python":                               "#!/usr/bin/env python3\nprint(1)\n",
		"PostScript":                           "%!PS-Adobe-3.0\n% a comment\n",
		"word with the signature of a bitmap":  "BMW is a maker of cars in Munich, Germany",
		"word with the signature of a program": "MZ is short for Mainz",
		"colored terminal output":              "\x1B[31mred\x1B[0m and plain",
		"one control character":                "a long line of text with one \x07 bell in the middle of it",
		"DOS end-of-file mark":                 "old text\r\n\x1A",
		"form feeds":                           "page one\fpage two\vline",
		"one NUL in a log":                     strings.Repeat("started\n", 50) + "\x00" + strings.Repeat("stopped\n", 50),
		"sentence with the signature of a PDF": "Files that begin with %PDF-1.7 are read by a PDF viewer.\n",
		"line with the signature of a PDF":     "The first line is\n%PDF-1.4\nand objects follow.\n",
		"script with the signature of a PDF":   "#!/bin/sh\nif head -c5 \"$1\" | grep -q \"%PDF-\"; then echo pdf; fi\n",
		"line with the signature of FDF":       "%FDF-1.2 begins a form.\n",
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) {
			r, err := newReader(strings.NewReader(content), "")
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(r); err != nil || string(got) != content {
				t.Errorf("got %q, %v, want %q", got, err, content)
			}
		})
	}
}

// TestControlCharacters checks each byte at each position of a text, which is examined both eight
// bytes at a time and byte by byte.
func TestControlCharacters(t *testing.T) {
	const passes = "\b\t\n\v\f\r\x1a\x1b"
	for b := range 256 {
		binary := b < ' ' && strings.IndexByte(passes, byte(b)) < 0
		for at := range 19 {
			text := []byte("words \xC3\xA9 \x80\xFF\x7F, words")[:19]
			text[at] = byte(b)
			if count := controlCharacters(text); (count == 1) != binary || count > 1 {
				t.Fatalf("%#x at %d: got %d controls, want binary %v", b, at, count, binary)
			}
		}
	}
	if count := controlCharacters([]byte("\x01\x02three\x00 and five\x1F\x0E")); count != 5 {
		t.Errorf("got %d controls, want 5", count)
	}
}
