package pipeline

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/bench/paired"
)

// Uploads starts a program and returns the trial that compares a large upload in parts with the same upload in one
// PUT, both without the digest of the file. The file is not text, so its analysis fails immediately.
func Uploads(o Options) (trials []paired.Trial, stop func(), err error) {
	own, err := start(roleAssay, filepath.Join(o.Dir, "uploads"))
	if err != nil {
		return nil, nil, err
	}
	u := &uploads{server: own, size: o.Upload}
	stop = func() {
		own.stop()
		if u.file != nil {
			_ = u.file.Close() // a temporary file
		}
	}
	if u.client, err = client.New(client.Config{Server: own.http, OwnerID: "bench"}); err == nil {
		u.file, err = largeFile(filepath.Join(o.Dir, "large"), o.Upload)
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	return []paired.Trial{{
		Title: fmt.Sprintf("an upload of %d MiB", o.Upload>>20),
		Own:   u.side("in parts", u.inParts), Rival: u.side("one PUT", u.onePut),
		Goals: []paired.Goal{
			{ID: "U1", What: "bytes/s", Quantity: turn, Must: .9, Target: 1},
			{ID: "-", What: "bytes per CPU-second of client and server", Quantity: cpu},
		},
	}}, stop, nil
}

// largeFile creates a file of repeated random blocks that begin with the header of a PDF.
func largeFile(path string, size int64) (*os.File, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	block := noise(1 << 20)
	copy(block, "%PDF-1.7\n")
	for written := int64(0); written < size && err == nil; written += int64(len(block)) {
		_, err = file.Write(block[:min(int64(len(block)), size-written)])
	}
	return file, err
}

type uploads struct {
	server *program
	client *client.Client
	file   *os.File
	size   int64 // bytes
}

// side returns a side that measures the time until an upload is accepted, and the CPU time, in seconds.
func (u *uploads) side(name string, send func(context.Context) (string, error)) paired.Side {
	return paired.Side{Name: name, Run: func(ctx context.Context) (paired.Sample, error) {
		before, err := u.used()
		if err != nil {
			return nil, err
		}
		began := time.Now()
		id, err := send(ctx)
		took := time.Since(began)
		if err != nil {
			return nil, err
		}
		after, err := u.used()
		if err != nil {
			return nil, err
		}
		if _, err := u.client.Wait(ctx, id); err != nil {
			return nil, err
		}
		return paired.Sample{turn: took.Seconds(), cpu: after - before}, u.client.Delete(ctx, id)
	}}
}

// used returns the CPU time of the client and the server in seconds.
func (u *uploads) used() (float64, error) {
	own, err := paired.OwnCPU()
	if err != nil {
		return 0, err
	}
	server, err := u.server.usage()
	return own + server.CPU.Seconds(), err
}

func (u *uploads) inParts(ctx context.Context) (string, error) {
	file, err := u.client.Upload(ctx, client.Source{Reservation: client.Reservation{FileName: "large", Size: u.size, Parts: true}, Content: u.file})
	return file.FileID, err
}

func (u *uploads) onePut(ctx context.Context) (string, error) {
	reserved, err := u.client.Reserve(ctx, client.Reservation{FileName: "large", Size: u.size})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, reserved.Upload.Method, reserved.Upload.URL, io.NewSectionReader(u.file, 0, u.size))
	if err != nil {
		return "", err
	}
	for name, value := range reserved.Upload.Headers {
		req.Header.Set(name, value)
	}
	req.ContentLength = u.size
	bucket := http.Client{Timeout: 10 * time.Minute}
	resp, err := bucket.Do(req)
	if err != nil {
		return "", err
	}
	if err := resp.Body.Close(); err != nil {
		return "", err
	}
	if resp.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the bucket responded with %s", resp.Status)
	}
	_, err = u.client.Uploaded(ctx, reserved.FileID)
	return reserved.FileID, err
}
