package client_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-project/assay/services/assay/client"
)

func photoOf(name string) client.PhotoSource {
	return client.PhotoSource{
		PhotoReservation: client.PhotoReservation{FileName: name, Size: int64(len(text)), ContentType: "image/jpeg", Prompt: "sepia"},
		Content:          strings.NewReader(text),
	}
}

// reservedPhotos responds to a reservation of two photos, with uploads to /bucket of the same server.
func reservedPhotos(w http.ResponseWriter, r *http.Request) {
	upload := client.UploadRequest{Method: http.MethodPut, URL: "http://" + r.Host + "/bucket", Headers: map[string]string{"If-None-Match": "*"}}
	answer(201, client.ReservedPhotoBatch{BatchID: "B", Photos: []client.ReservedPhoto{{JobID: "1", Upload: upload}, {JobID: "2", Upload: upload}}})(w, r)
}

func reservedPhoto(w http.ResponseWriter, r *http.Request) {
	answer(201, client.ReservedPhoto{JobID: "1", Upload: client.UploadRequest{Method: http.MethodPut, URL: "http://" + r.Host + "/bucket"}})(w, r)
}

func TestUploadPhotoRetriesWithoutSecondJob(t *testing.T) {
	s, c := serve(t, hangUp, reservedPhoto, bucket(503, "SlowDown"), reservedPhoto, bucket(412, "PreconditionFailed"),
		answer(202, client.Photo{JobID: "1", Status: client.Queued}))
	photo, err := c.UploadPhoto(t.Context(), photoOf("a.jpg"), client.PhotoOptions{Format: "webp"})
	if err != nil || photo.JobID != "1" {
		t.Fatalf("UploadPhoto = %+v, %v, want the job 1", photo, err)
	}
	keys := map[string]bool{}
	for _, r := range s.requests() {
		if r.path != "/v1/photos" {
			continue
		}
		keys[r.header.Get("Idempotency-Key")] = true
		if want := `{"fileName":"a.jpg","size":13,"contentType":"image/jpeg","prompt":"sepia","options":{"format":"webp"}}`; r.body != want {
			t.Errorf("reserved %s, want %s", r.body, want)
		}
	}
	if last := s.requests()[5]; len(keys) != 1 || last.path != "/v1/photos/1/uploaded" {
		t.Errorf("got the idempotency keys %v and the last request %+v, want one key and /v1/photos/1/uploaded", keys, last)
	}
}

func TestUploadPhotoBatchUploadsEach(t *testing.T) {
	s, c := serve(t, reservedPhotos,
		bucket(403, "AccessDenied"), reservedPhotos, answer(200, nil), answer(202, client.Photo{JobID: "1"}), // the URL expired
		bucket(400, "BadDigest"))
	var ended atomic.Int32
	batchID, err := c.UploadPhotoBatch(t.Context(), []client.PhotoSource{photoOf("a.jpg"), photoOf("b.jpg")}, client.PhotoBatchReservation{Prompt: "enhance"}, 1,
		func(i int, p client.Photo, err error) {
			ended.Add(1)
			if i == 0 && (err != nil || p.JobID != "1") || i == 1 && err == nil {
				t.Errorf("photo %d: got %+v, %v, want the job 1 for photo 0 and an error for photo 1", i, p, err)
			}
		})
	if err != nil || batchID != "B" || ended.Load() != 2 {
		t.Errorf("UploadPhotoBatch = %q, %v with %d results, want B with 2", batchID, err, ended.Load())
	}
	first, again := s.requests()[0], s.requests()[2]
	if first.path != "/v1/photo-batches" || first.body != again.body || first.header.Get("Idempotency-Key") != again.header.Get("Idempotency-Key") {
		t.Errorf("reserved %+v, then %+v, want the same request", first, again)
	}
}

func TestRejectedPhotoBatch(t *testing.T) {
	_, c := serve(t, problem(422, nil, client.Problem{Status: 422, Title: "Invalid"}))
	_, err := c.UploadPhotoBatch(t.Context(), []client.PhotoSource{photoOf("a.jpg")}, client.PhotoBatchReservation{}, 4,
		func(int, client.Photo, error) {
			t.Error("a photo was reported although the reservation failed, want none")
		})
	if err == nil {
		t.Error("UploadPhotoBatch succeeded, want an error")
	}
}

func TestPhotoCalls(t *testing.T) {
	prompt := "sepia"
	for want, call := range map[string]func(*client.Client) error{
		"GET /v1/photos/a%2Fb?wait=1s ": func(c *client.Client) error { _, err := c.GetPhoto(t.Context(), "a/b", time.Second); return err },
		"GET /v1/photo-batches/B? ":     func(c *client.Client) error { _, err := c.GetPhotoBatch(t.Context(), "B", 0); return err },
		`POST /v1/photos/1/retry? {"prompt":"sepia"}`: func(c *client.Client) error {
			_, err := c.RetryPhoto(t.Context(), "1", client.PhotoChange{Prompt: &prompt})
			return err
		},
		"POST /v1/photos/1/cancel? ":       func(c *client.Client) error { _, err := c.CancelPhoto(t.Context(), "1"); return err },
		"DELETE /v1/photos/1? ":            func(c *client.Client) error { return c.DeletePhoto(t.Context(), "1") },
		"POST /v1/photo-batches/B/retry? ": func(c *client.Client) error { _, err := c.RetryPhotoBatch(t.Context(), "B"); return err },
		"DELETE /v1/photo-batches/B? ":     func(c *client.Client) error { return c.DeletePhotoBatch(t.Context(), "B") },
		"GET /v1/owners/owner-1/photos?limit=5&status=FAILED ": func(c *client.Client) error {
			_, err := c.ListPhotosPage(t.Context(), client.Listing{Status: client.Failed, Limit: 5})
			return err
		},
	} {
		s, c := serve(t, answer(200, client.Photo{}))
		if err := call(c); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if r := s.requests()[0]; r.method+" "+r.path+"?"+r.query+" "+r.body != want {
			t.Errorf("sent %s %s?%s %s, want %s", r.method, r.path, r.query, r.body, want)
		}
	}
}
