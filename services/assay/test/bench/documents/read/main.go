// Command read reads documents as the library does.
//
//	read pdf FILE...      extract the text, and draw the first page at 1,200 pixels
//	read office FILE...   extract the text
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/assay-project/assay/pkg/extract/office"
	"github.com/assay-project/assay/pkg/extract/pdf"
	"github.com/assay-project/assay/pkg/extract/wasm"
	"github.com/assay-project/assay/services/assay/test/bench/command"
)

func main() {
	command.Main(run)
}

func run(ctx context.Context, args []string, _ io.Writer) error {
	if len(args) < 2 {
		return errors.New("usage: read pdf|office FILE [FILE ...]")
	}
	read := map[string]func(context.Context, []string) error{"pdf": readPDFs, "office": readOffice}[args[0]]
	if read == nil {
		return fmt.Errorf("unknown type %q: must be pdf or office", args[0])
	}
	return read(ctx, args[1:])
}

// readPDFs reads PDF documents. It skips those that it cannot read, as the rivals do.
func readPDFs(ctx context.Context, paths []string) (err error) {
	cache, err := wasm.UserCache()
	if err != nil {
		return err
	}
	e := pdf.New(wasm.Config{Cache: cache})
	defer func() { err = errors.Join(err, e.Close(ctx)) }()
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := readPDF(ctx, e, data); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
		}
	}
	return nil
}

// readPDF opens a document once for its text and once for its picture, as two steps of a workflow do.
func readPDF(ctx context.Context, e *pdf.Engine, data []byte) error {
	read := func(what func(*pdf.Document) error) error {
		d, err := e.Open(ctx, bytes.NewReader(data), int64(len(data)), pdf.Limits{})
		if err != nil {
			return err
		}
		return errors.Join(what(d), d.Close())
	}
	return errors.Join(
		read(func(d *pdf.Document) error { _, err := d.Text(pdf.TextLimits{}); return err }),
		read(func(d *pdf.Document) error { _, err := d.Picture(0, 1200); return err }),
	)
}

func readOffice(ctx context.Context, paths []string) error {
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := office.Read(ctx, bytes.NewReader(data), int64(len(data)), office.Limits{}); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", path, err)
		}
	}
	return nil
}
