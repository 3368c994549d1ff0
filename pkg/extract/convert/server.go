package convert

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
)

// server is a Gotenberg server. The operator configures its address, which may be in a private network.
type server struct {
	url    string
	client *http.Client
}

func newServer(base *url.URL) server {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return server{base.JoinPath("forms", "libreoffice", "convert").String(), &http.Client{Transport: transport}}
}

func (s server) close() { s.client.CloseIdleConnections() }

func (s server) convert(ctx context.Context, name string, data []byte) ([]byte, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("files", name)
	if err != nil {
		return nil, err
	}
	if _, err := part.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, &form)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", w.FormDataContentType())
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTemporary, err)
	}
	defer response.Body.Close()
	switch {
	case response.StatusCode == http.StatusOK:
	case response.StatusCode == http.StatusTooManyRequests, response.StatusCode >= http.StatusInternalServerError:
		return nil, fmt.Errorf("%w: the converter responded with status %d", ErrTemporary, response.StatusCode)
	default:
		return nil, fmt.Errorf("%w: the converter responded with status %d", ErrRefused, response.StatusCode)
	}
	pdf, err := io.ReadAll(io.LimitReader(response.Body, maxPDF+1))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTemporary, err)
	}
	return pdf, nil
}
