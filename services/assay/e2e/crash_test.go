package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assay-project/assay/services/assay/client"
)

// accepted is an upload whose 2xx was seen.
type accepted struct{ id, text string }

// TestKillLosesNothing: the server is killed three times in the middle of
// uploads by both ways. Every upload that was accepted ends COMPLETED with the
// right numbers and one AnalysisCompleted.
func TestKillLosesNothing(t *testing.T) {
	t.Parallel()
	const uploads, seed = 160, 13
	s := startServe(t, t.TempDir(), shortLease)
	owner := newOwner()
	c := s.client(t, owner)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()

	var tried atomic.Int64
	var mu sync.Mutex
	var all []accepted
	reached := make(chan int64, uploads) // how many uploads have been tried
	numbers := make(chan int)
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for i := range numbers {
				text := randomText(uint64(i), 200+i*20)
				id := persist(ctx, t, c, i, text)
				mu.Lock()
				all = append(all, accepted{id, text})
				mu.Unlock()
				reached <- tried.Add(1)
			}
		})
	}
	go func() {
		defer close(numbers)
		for i := range uploads {
			select {
			case numbers <- i:
			case <-ctx.Done():
				return
			}
		}
	}()

	random := rand.New(rand.NewPCG(seed, 0))
	for kill := range 3 {
		// Between the uploads of its third, at a random one, and a random moment of it.
		at := int64(kill*uploads/3 + 5 + random.IntN(uploads/3-10))
		for n := range reached {
			if n >= at {
				break
			}
		}
		<-time.After(time.Duration(random.IntN(20_000)) * time.Microsecond)
		s.program.kill(t)
		s.restart(t)
	}
	workers.Wait()
	if len(all) != uploads {
		t.Fatalf("%d uploads of %d were accepted", len(all), uploads)
	}
	js := s.jetStream(t)
	seen := map[string]bool{}
	for _, a := range all {
		file, err := c.Wait(ctx, a.id)
		if err != nil {
			t.Fatalf("wait for %s: %v", a.id, err)
		}
		checkResult(t, file, count(a.text))
		if ids := s.outcomes(t, js, a.id); len(ids) != 1 {
			t.Errorf("outcomes of %s: %v, want one", a.id, ids)
		}
		seen[a.id] = true
	}
	listed := 0
	for file, err := range c.List(ctx, client.Listing{Limit: 50}) {
		if err != nil {
			t.Fatal(err)
		}
		listed++
		if !seen[file.FileID] {
			t.Errorf("the list has %s, which nobody uploaded", file.FileID)
		}
	}
	if listed != uploads {
		t.Errorf("the list has %d files, want %d", listed, uploads)
	}
}

// persist uploads until it is accepted, with one key for all its tries, and
// returns the file's id. Two ways in, and for the presigned one two ways to
// tell: by the call, or by the bucket's notice alone.
func persist(ctx context.Context, t *testing.T, c *client.Client, i int, text string) string {
	t.Helper()
	key := uuid.Must(uuid.NewV7()).String()
	for {
		var id string
		var err error
		switch i % 3 {
		case 0:
			up := source(fmt.Sprint(i), text)
			up.Key = key
			var file client.File
			file, err = c.Upload(ctx, up)
			id = file.FileID
		case 1:
			var file client.File
			file, err = c.PostFile(ctx, posted(fmt.Sprint(i), text, key))
			id = file.FileID
		case 2:
			id, err = putOnly(ctx, c, fmt.Sprint(i), text, key)
		}
		if err == nil {
			return id
		}
		select {
		case <-ctx.Done():
			t.Errorf("upload %d: %v", i, err)
			return ""
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// putOnly reserves and puts, and leaves it to the bucket to tell.
func putOnly(ctx context.Context, c *client.Client, name, text, key string) (string, error) {
	reserved, err := c.Reserve(ctx, client.Reservation{FileName: name, Size: int64(len(text)), Key: key})
	if err != nil || reserved.Status != client.Pending {
		return reserved.FileID, err
	}
	req, err := putBytes(ctx, reserved.Upload, text)
	if err != nil {
		return "", err
	}
	resp, body, err := roundTrip(req)
	switch {
	case err != nil:
		return "", err
	case resp.StatusCode == http.StatusPreconditionFailed:
		// An earlier try stored them and may have died before the bucket told.
		_, err = c.Uploaded(ctx, reserved.FileID)
	case resp.StatusCode != http.StatusOK:
		err = fmt.Errorf("the bucket answered %d: %s", resp.StatusCode, body)
	}
	return reserved.FileID, err
}

func source(name, text string) client.Source {
	return client.Source{
		Reservation: client.Reservation{FileName: name, Size: int64(len(text)), ContentType: "text/plain"}, Content: strings.NewReader(text),
	}
}

func posted(name, text, key string) client.Posted {
	return client.Posted{FileName: name, ContentType: "text/plain", Content: strings.NewReader(text), Key: key}
}
