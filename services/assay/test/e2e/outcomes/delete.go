package outcomes

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// DeleteRemovesAll proves that a delete removes the bytes and both items, and that a repeated delete returns the same
// response.
func DeleteRemovesAll(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	for name, content := range map[string]string{"done": "some words", "failed": "%PDF-1.4\n", "empty": ""} {
		for wayName, upload := range system.Ways {
			t.Run(name+"/"+wayName, func(t *testing.T) {
				file := upload(t, c, name, "text/plain", []byte(content))
				system.Await(t, c, file.FileID)
				key := system.Attribute(t, s.Meta(t, file.FileID), "s3Key")
				if err := s.HeadFile(t.Context(), key); err != nil {
					t.Fatalf("HEAD of s3Key returned %v, want no error", err)
				}
				if err := s.Client(t, system.NewOwner()).Delete(system.Within(t), file.FileID); !system.IsProblem(err, http.StatusForbidden) {
					t.Errorf("another owner's delete returned %v, want 403", err)
				}
				if err := s.HeadFile(t.Context(), key); err != nil {
					t.Errorf("HEAD of s3Key after another owner's delete returned %v, want no error", err)
				}
				for range 2 { // with another spelling of the same id
					resp, body := s.Ask(t, http.MethodDelete, "/v1/files/"+strings.ToUpper(file.FileID), map[string]string{"X-Owner-Id": owner}, "")
					if resp.StatusCode != http.StatusNoContent || body != "" {
						t.Errorf("delete returned %d %s, want 204 without a body", resp.StatusCode, body)
					}
				}
				if problem := s.LeftOf(t.Context(), owner, file.FileID, key); problem != nil {
					t.Error(problem)
				}
				if _, err := c.Get(system.Within(t), file.FileID, 0); !system.IsProblem(err, http.StatusNotFound) {
					t.Errorf("get after the delete returned %v, want 404", err)
				}
			})
		}
	}
}

// deletedFilesStayDeleted: work that is in progress when its file is deleted does not recreate the file.
func deletedFilesStayDeleted(t *testing.T, s system.System) {
	c := s.Client(t, system.NewOwner())
	text := []byte(system.RandomText(111, 200_000)) // some milliseconds of work
	js := s.JetStream(t)
	type deleted struct{ id, key string }
	var files []deleted
	for i := range 12 {
		upload := system.Ways["presigned"]
		if i%2 == 1 {
			upload = system.Ways["multipart"]
		}
		file := upload(t, c, fmt.Sprint(i), "text/plain", text)
		key := system.Attribute(t, s.Meta(t, file.FileID), "s3Key")
		if i%3 == 0 { // delete the file while it is claimed, rather than before
			system.Eventually(t, func() error {
				if got := system.Attribute(t, s.Meta(t, file.FileID), "status"); got == client.Pending {
					return errors.New("the file is still " + got + ", want it claimed")
				}
				return nil
			})
		}
		if err := c.Delete(system.Within(t), file.FileID); err != nil {
			t.Fatal(err)
		}
		files = append(files, deleted{file.FileID, key})
	}
	// Once no message about the files remains, they cannot reappear.
	for _, file := range files {
		system.Eventually(t, func() error {
			return errors.Join(system.NothingWaits(t.Context(), js), s.LeftOf(t.Context(), c.OwnerID(), file.id, file.key))
		})
	}
}
