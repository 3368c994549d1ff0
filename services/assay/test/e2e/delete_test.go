package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/assay-project/assay/services/assay/client"
)

// deleteRemovesAll: bytes and both items are deleted, and a repeat gets the same response.
func deleteRemovesAll(t *testing.T, s system) {
	owner := newOwner()
	c := s.client(t, owner)
	for name, content := range map[string]string{"done": "some words", "failed": "%PDF-1.4\n", "empty": ""} {
		for wayName, upload := range ways {
			t.Run(name+"/"+wayName, func(t *testing.T) {
				file := upload(t, c, name, "text/plain", []byte(content))
				final(t, c, file.FileID)
				key := attribute(t, s.meta(t, file.FileID), "s3Key")
				if err := s.head(t.Context(), key); err != nil {
					t.Fatalf("the bytes are not at s3Key: %v", err)
				}
				if err := s.client(t, newOwner()).Delete(within(t), file.FileID); !isProblem(err, http.StatusForbidden) {
					t.Errorf("another owner's delete: %v", err)
				}
				if err := s.head(t.Context(), key); err != nil {
					t.Errorf("another owner's delete took the bytes: %v", err)
				}
				for range 2 { // another spelling of the same id
					resp, body := s.ask(t, http.MethodDelete, "/v1/files/"+strings.ToUpper(file.FileID), map[string]string{"X-Owner-Id": owner}, "")
					if resp.StatusCode != http.StatusNoContent || body != "" {
						t.Errorf("delete answers %d %s", resp.StatusCode, body)
					}
				}
				if problem := s.leftOf(t.Context(), owner, file.FileID, key); problem != nil {
					t.Error(problem)
				}
				if _, err := c.Get(within(t), file.FileID, 0); !isProblem(err, http.StatusNotFound) {
					t.Errorf("get: %v", err)
				}
			})
		}
	}
}

// deletedStaysDeleted: work that is in flight when its file is deleted does
// not bring the file back.
func deletedStaysDeleted(t *testing.T, s system) {
	c := s.client(t, newOwner())
	text := []byte(randomText(111, 200_000)) // some milliseconds of work
	js := s.jetStream(t)
	type deleted struct{ id, key string }
	var files []deleted
	for i := range 12 {
		upload := ways["presigned"]
		if i%2 == 1 {
			upload = ways["multipart"]
		}
		file := upload(t, c, fmt.Sprint(i), "text/plain", text)
		key := attribute(t, s.meta(t, file.FileID), "s3Key")
		if i%3 == 0 { // deleted while claimed, rather than before
			eventually(t, func() error {
				if got := attribute(t, s.meta(t, file.FileID), "status"); got == client.Pending {
					return errors.New("still " + got)
				}
				return nil
			})
		}
		if err := c.Delete(within(t), file.FileID); err != nil {
			t.Fatal(err)
		}
		files = append(files, deleted{file.FileID, key})
	}
	// Once no message about them is left, nothing can reappear.
	for _, file := range files {
		eventually(t, func() error {
			return errors.Join(nothingWaits(t.Context(), js), s.leftOf(t.Context(), c.OwnerID(), file.id, file.key))
		})
	}
}

// head sends a HEAD request for an object.
func (s system) head(ctx context.Context, key string) error {
	_, err := s.objects().HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.Bucket, Key: &key})
	return err
}

func isProblem(err error, status int) bool {
	problem, ok := errors.AsType[*client.Problem](err)
	return ok && problem.Status == status
}
