package photos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/png"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assay-project/assay/services/assay/client"
	"github.com/assay-project/assay/services/assay/test/e2e/system"
)

// photosAreEdited: a photo uploaded by a presigned request or a form is described, and edited according to its prompt;
// the original does not change, and the item has the attributes of seed 003 with their types.
func photosAreEdited(t *testing.T, s system.System) {
	photo := system.DrawPhoto(t, 1)
	const prompt, name = "crop 1:1, as png", `fjord "å".jpg`
	for way, send := range map[string]func(*testing.T, string) client.Photo{
		"presigned": func(t *testing.T, owner string) client.Photo {
			job, err := s.Client(t, owner).UploadPhoto(system.Within(t), system.PhotoSource(name, prompt, photo), client.PhotoOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return job
		},
		"form": func(t *testing.T, owner string) (job client.Photo) {
			content, contentType := system.Form(mime.FormatMediaType("form-data", map[string]string{"name": "file", "filename": name}), "image/jpeg", string(photo))
			fields := "--e2e-boundary\r\nContent-Disposition: form-data; name=\"prompt\"\r\n\r\n" + prompt + "\r\n"
			resp, body := s.Ask(t, http.MethodPost, "/v1/photos", map[string]string{"X-Owner-Id": owner, "Content-Type": contentType}, fields+content)
			if resp.StatusCode != http.StatusAccepted {
				t.Fatalf("the form returned %d %s, want 202", resp.StatusCode, body)
			}
			system.Decode(t, body, &job)
			return job
		},
	} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			owner := system.NewOwner()
			c := s.Client(t, owner)
			job := system.AwaitPhoto(t, c, send(t, owner).JobID, client.Completed)
			edit := job.EditResult
			if edit == nil || edit.Width != 120 || edit.Height != 120 || edit.Format != "png" || job.Degraded != "" || job.Error != nil ||
				job.AnalysisResult == nil || job.AnalysisResult.Description == "" || len(job.AnalysisResult.Labels) == 0 {
				t.Fatalf("the job is %s, want a PNG of 120 x 120 pixels and a description", system.JSON(job))
			}
			edited := system.DownloadPhoto(t, c, job.JobID, client.EditedPhoto)
			config, format, err := image.DecodeConfig(bytes.NewReader(edited))
			if err != nil || format != "png" || config.Width != 120 || config.Height != 120 || int64(len(edited)) != edit.Size {
				t.Errorf("the photo is %s of %+v, %d bytes, %v; want png of 120 x 120 pixels, %d bytes", format, config, len(edited), err, edit.Size)
			}
			if original := system.DownloadPhoto(t, c, job.JobID, client.OriginalPhoto); !bytes.Equal(original, photo) {
				t.Errorf("the original of %d bytes differs from the upload of %d bytes, want the same content", len(original), len(photo))
			}
			if ids := s.PhotoOutcomes(t, job.JobID); len(ids) != 1 {
				t.Errorf("outcomes %v, want one", ids)
			}
			checkDownload(t, s, owner, job.JobID, `fjord "å".png`)
			checkPhotoItem(t, s, job.JobID)
			checkCalls(t, s, job)
		})
	}
}

// checkDownload checks the redirect of a download and the name of the file.
func checkDownload(t *testing.T, s system.System, owner, jobID, name string) {
	t.Helper()
	resp, _ := s.Ask(t, http.MethodGet, "/v1/photos/"+jobID+"/download", map[string]string{"X-Owner-Id": owner}, "")
	if resp.StatusCode != http.StatusTemporaryRedirect {
		t.Fatalf("the download returned status %d, want 307", resp.StatusCode)
	}
	at, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	_, params, err := mime.ParseMediaType(at.Query().Get("response-content-disposition"))
	if err != nil || params["filename"] != name {
		t.Errorf("the file is named %q, %v; want %q", params["filename"], err, name)
	}
}

// checkPhotoItem compares the attributes of a COMPLETED job with the attributes of seed 003 and the optional attributes
// of the design.
func checkPhotoItem(t *testing.T, s system.System, jobID string) {
	t.Helper()
	want := map[string]string{
		"jobId": "S", "userId": "S", "status": "S", "createdAt": "N", "updatedAt": "N", "fileSize": "N", "fileType": "S",
		"originalFileName": "S", "s3TempKey": "S", "s3FinalKey": "S", "provider": "S", "processingStartedAt": "N",
		"processingCompletedAt": "N", "analysisResult": "M", "editResult": "M", "correlationId": "S", "traceId": "S", "ttl": "N",
		"prompt": "S", "options": "M", "calls": "M",
	}
	got := system.KindsOf(s.PhotoItem(system.Within(t), t, jobID))
	for name, kind := range want {
		if got[name] != kind {
			t.Errorf("%s has the type %q, want %s", name, got[name], kind)
		}
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("the item also has the attributes %v, want no others", got)
	}
}

// checkCalls checks that the owner and operators see the two calls of a job, and only operators see costs.
func checkCalls(t *testing.T, s system.System, job client.Photo) {
	t.Helper()
	for i, step := range []string{"analyze", "edit"} {
		if len(job.Calls) != 2 || job.Calls[i].Step != step || job.Calls[i].Provider != "local" || job.Calls[i].Outcome != "ok" {
			t.Errorf("the owner sees the calls %+v, want analyze and edit by local", job.Calls)
		}
	}
	status, body := system.Get(t, s.LiveOperator+"/v1/photos/"+job.JobID+"/calls")
	var list struct {
		Calls []struct{ Step, Provider, Outcome string }
	}
	system.Decode(t, body, &list)
	if status != http.StatusOK || fmt.Sprint(list.Calls) != "[{analyze local ok} {edit local ok}]" {
		t.Errorf("GET of the calls by an operator: %d %s, want 200, analyze and edit by local", status, body)
	}
	if resp, body := s.Ask(t, http.MethodGet, "/v1/photos/"+job.JobID+"/calls", nil, ""); resp.StatusCode != http.StatusNotFound {
		t.Errorf("GET of the calls at the public address: %d %s, want 404", resp.StatusCode, body)
	}
}

// photosAreListed: an owner's jobs are listed newest first, in pages and by state; only operators list the jobs of all
// owners in a state.
func photosAreListed(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	var want []string // newest first
	for i := range 5 {
		prompt := "sepia"
		if i == 2 {
			prompt = "abracadabra"
		}
		job := system.SendPhoto(t, c, prompt, system.DrawPhoto(t, uint32(i)))
		if _, err := c.WaitPhoto(system.Within(t), job.JobID); err != nil {
			t.Fatal(err)
		}
		want = slices.Insert(want, 0, job.JobID)
	}
	listed := func(l client.Listing) (ids []string) {
		for job, err := range c.ListPhotos(system.Within(t), l) {
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, job.JobID)
		}
		return ids
	}
	system.Eventually(t, func() error { // indexes are eventually consistent
		for l, ids := range map[client.Listing][]string{
			{}: want, {Limit: 2}: want, {Status: client.Failed}: want[2:3], {Status: client.Completed, Limit: 3}: slices.Concat(want[:2], want[3:]),
			{Status: client.Queued}: nil,
		} {
			if got := listed(l); !slices.Equal(got, ids) {
				return fmt.Errorf("the list %+v contains %v, want %v", l, got, ids)
			}
		}
		return nil
	})
	_, err := c.ListPhotosPage(system.Within(t), client.Listing{OwnerID: system.NewOwner()})
	if problem, ok := errors.AsType[*client.Problem](err); !ok || problem.Status != http.StatusNotFound {
		t.Errorf("the list of another owner: %v, want a problem with status 404", err)
	}
	if resp, body := s.Ask(t, http.MethodGet, "/v1/photos?status=FAILED", nil, ""); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("a client's list of the jobs of all owners: %d %s, want 405", resp.StatusCode, body)
	}
	system.Eventually(t, func() error { return listsFailed(system.Within(t), t, s, want[2]) })
}

// listsFailed returns an error unless operators see a job in the list of FAILED jobs.
func listsFailed(ctx context.Context, t *testing.T, s system.System, jobID string) error {
	t.Helper()
	for cursor := ""; ; {
		status, body := system.Get(t, s.LiveOperator+"/v1/photos?status=FAILED&limit=10&cursor="+url.QueryEscape(cursor))
		if status != http.StatusOK {
			return fmt.Errorf("the list returned %d %s, want 200", status, body)
		}
		var page client.PhotoPage
		system.Decode(t, body, &page)
		for _, job := range page.Photos {
			if job.JobID == jobID && job.Error != nil && job.Error.Code == "PROMPT_NOT_UNDERSTOOD" {
				return nil
			}
		}
		if cursor = page.NextCursor; cursor == "" || ctx.Err() != nil {
			return errors.Join(fmt.Errorf("operators do not see the job %s", jobID), ctx.Err())
		}
	}
}

// downloadsFollowTheJob: a download returns 409 before the photo exists, and 410 once it has been removed.
func downloadsFollowTheJob(t *testing.T, s system.System) {
	owner := system.NewOwner()
	c := s.Client(t, owner)
	as := map[string]string{"X-Owner-Id": owner}
	reserved, err := c.ReservePhoto(system.Within(t), system.PhotoSource("a.jpg", "", system.DrawPhoto(t, 1)).PhotoReservation, client.PhotoOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, variant := range []string{client.EditedPhoto, client.OriginalPhoto} {
		resp, body := s.Ask(t, http.MethodGet, "/v1/photos/"+reserved.JobID+"/download?variant="+variant, as, "")
		system.Refused(t, resp, body, http.StatusConflict, "not-completed")
	}
	job := system.AwaitPhoto(t, c, system.SendPhoto(t, c, "sepia", system.DrawPhoto(t, 2)).JobID, client.Completed)
	for _, variant := range []string{"preview", "original-preview"} {
		preview := system.DownloadPhoto(t, c, job.JobID, variant)
		drawn, format, err := image.DecodeConfig(bytes.NewReader(preview))
		if err != nil || format != "jpeg" || max(drawn.Width, drawn.Height) > 1200 || drawn.Width*job.EditResult.Height != drawn.Height*job.EditResult.Width {
			t.Errorf("the %s is a %s of %d x %d pixels, %v; want a JPEG of at most 1200 pixels a side with the aspect ratio %d:%d", variant, format, drawn.Width, drawn.Height, err, job.EditResult.Width, job.EditResult.Height)
		}
	}
	for bucket, keys := range s.PhotoKeys(t, job.JobID) {
		for _, key := range keys {
			if bucket == system.PhotoFinal || strings.HasPrefix(key, "uploads/") {
				s.RemoveObject(t, bucket, key)
			}
		}
	}
	for _, variant := range []string{client.EditedPhoto, client.OriginalPhoto, "preview", "original-preview"} {
		resp, body := s.Ask(t, http.MethodGet, "/v1/photos/"+job.JobID+"/download?variant="+variant, as, "")
		system.Refused(t, resp, body, http.StatusGone, "photo-removed")
	}
}
