// Package convert converts office documents to PDF with LibreOffice, either in one process for each document or on
// a Gotenberg server. It is optional.
package convert

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os/exec"
	"runtime"
	"time"

	"github.com/assay-project/assay/pkg/extract/reason"
)

// Setting is the name of the setting that selects the converter.
const Setting = "ASSAY_CONVERTER"

const (
	// Time is the maximum duration of a conversion.
	Time = 2 * time.Minute
	// maxPDF is the maximum size of a converted PDF, in bytes.
	maxPDF = 100 << 20
)

// Errors of a conversion.
const (
	// ErrRefused is permanent: a retry with the same document fails again.
	ErrRefused = reason.NotConverted
	// ErrTemporary means that a later attempt may succeed.
	ErrTemporary = reason.ConverterUnavailable
)

// Converter converts documents, up to GOMAXPROCS concurrently. It is safe for concurrent use. The zero value is
// disabled.
type Converter struct {
	convert func(ctx context.Context, name string, data []byte) ([]byte, error)
	close   func()
	slots   chan struct{}
}

// New returns the converter for a setting: "" for none, "soffice" for the LibreOffice program on PATH, or the URL
// of a Gotenberg server. The caller must close it.
func New(setting string) (*Converter, error) {
	c := &Converter{close: func() {}, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	switch u, err := url.Parse(setting); {
	case setting == "":
		return &Converter{}, nil
	case setting == program:
		path, err := exec.LookPath(program)
		if err != nil {
			return nil, fmt.Errorf("%s is %q: %w", Setting, setting, err)
		}
		c.convert = soffice{path}.convert
	case err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "":
		s := newServer(u)
		c.convert, c.close = s.convert, s.close
	default:
		return nil, fmt.Errorf("%s is %q: must be %q or the URL of a server", Setting, setting, program)
	}
	return c, nil
}

// On reports whether a converter is configured.
func (c *Converter) On() bool { return c.convert != nil }

// Close closes idle connections.
func (c *Converter) Close() {
	if c.On() {
		c.close()
	}
}

// PDF converts a document of the given format, such as "doc", to PDF. It waits for a slot; the conversion then
// takes at most Time. It returns ErrRefused, ErrTemporary or an error of ctx.
func (c *Converter) PDF(ctx context.Context, format string, data []byte) ([]byte, error) {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	bounded, cancel := context.WithTimeout(ctx, Time)
	defer cancel()
	pdf, err := c.convert(bounded, "document."+format, data)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case bounded.Err() != nil:
		return nil, ErrRefused.With(reason.TimeLimit, Time)
	case err != nil:
		return nil, err
	case len(pdf) > maxPDF:
		return nil, ErrRefused.With(reason.PDFLimit, maxPDF)
	case !bytes.HasPrefix(pdf, []byte("%PDF-")):
		return nil, ErrRefused.With(reason.NotAPDF)
	}
	return pdf, nil
}
