package client

import (
	"context"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/assay-project/assay/pkg/extract/photo/operation"
)

// States of a photo job in addition to Completed and Failed, and the state of a finished batch with failed
// jobs.
const (
	Queued     = "QUEUED"
	Processing = "PROCESSING"
	Editing    = "EDITING"
	Partial    = "PARTIAL"
)

// MaxPhotoBatch is the maximum number of photos in a batch.
const MaxPhotoBatch = 20

// Photo is a job that describes and edits a photo.
type Photo struct {
	JobID                 string         `json:"jobId"`
	UserID                string         `json:"userId"` // the owner
	Status                string         `json:"status"`
	CreatedAt             time.Time      `json:"createdAt"`
	UpdatedAt             time.Time      `json:"updatedAt"`
	FileSize              int64          `json:"fileSize"` // bytes
	FileType              string         `json:"fileType"` // media type
	OriginalFileName      string         `json:"originalFileName,omitempty"`
	Prompt                string         `json:"prompt,omitempty"`
	Options               PhotoOptions   `json:"options"`
	Provider              string         `json:"provider"`
	ProcessingStartedAt   *time.Time     `json:"processingStartedAt,omitempty"`
	ProcessingCompletedAt *time.Time     `json:"processingCompletedAt,omitempty"`
	AnalysisResult        *PhotoAnalysis `json:"analysisResult,omitempty"`
	EditResult            *PhotoEdit     `json:"editResult,omitempty"` // set when COMPLETED
	Error                 *PhotoError    `json:"error,omitempty"`      // reason of a FAILED job, or error of the last attempt
	Degraded              string         `json:"degraded,omitempty"`   // requests that were not fulfilled
	Calls                 []PhotoCall    `json:"calls"`                // oldest first, without those rejected because of a limit or missing access
	BatchID               string         `json:"batchId,omitempty"`
	ExpiresAt             time.Time      `json:"expiresAt"` // when the job and its photos will be removed
}

// Final reports whether processing has finished. A final job changes only on request.
func (p Photo) Final() bool { return p.Status == Completed || p.Status == Failed }

// PhotoOptions are options in addition to the prompt. Zero values mean no preference.
type PhotoOptions struct {
	Provider    string `json:"provider,omitempty"`
	Format      string `json:"format,omitempty"`  // jpeg, png, webp, gif, avif
	Quality     int    `json:"quality,omitempty"` // 1 to 100
	Width       int    `json:"width,omitempty"`   // maximum in pixels
	Height      int    `json:"height,omitempty"`  // maximum in pixels
	AspectRatio string `json:"aspectRatio,omitempty"`
	Seed        int64  `json:"seed,omitempty"`

	Operations []operation.Step `json:"operations,omitempty"` // applied after the edits of the prompt
	Tolerant   bool             `json:"tolerant,omitempty"`   // edit what can be read of a truncated photo
	Frames     string           `json:"frames,omitempty"`     // of an animation: first, all
	Colors     string           `json:"colors,omitempty"`     // keep, srgb
	Keep       []string         `json:"keep,omitempty"`       // metadata: copyright

	Outputs []operation.Output `json:"outputs,omitempty"` // further results of the same edit
}

// PhotoCall is a call to a provider.
type PhotoCall struct {
	Step     string    `json:"step"` // analyze or edit
	Provider string    `json:"provider"`
	Model    string    `json:"model,omitempty"`
	At       time.Time `json:"at"`      // when it was recorded, before it was made
	Outcome  string    `json:"outcome"` // sent, ok, error or unknown
}

// PhotoAnalysis is the description of a photo.
type PhotoAnalysis struct {
	Labels      []PhotoLabel `json:"labels"`
	Description string       `json:"description,omitempty"`
	SafeSearch  *SafeSearch  `json:"safeSearch,omitempty"` // nil if the provider does not rate safety
}

// PhotoLabel names an object in a photo or a property of the photo.
type PhotoLabel struct {
	Name       string  `json:"name"`
	Confidence float64 `json:"confidence"` // 0 to 1
}

// SafeSearch contains likelihoods from VERY_UNLIKELY to VERY_LIKELY.
type SafeSearch struct {
	Adult    string `json:"adult"`
	Violence string `json:"violence"`
}

// PhotoEdit is the edited photo.
type PhotoEdit struct {
	Width  int    `json:"width"` // pixels
	Height int    `json:"height"`
	Format string `json:"format"` // jpeg, png, webp, gif, avif
	Size   int64  `json:"size"`   // bytes

	Outputs []PhotoEdit `json:"outputs,omitempty"` // of the option Outputs, in its order
}

// PhotoError describes why a job failed.
type PhotoError struct {
	Code       string `json:"code"` // such as IMAGE_UNREADABLE
	Message    string `json:"message"`
	RetryCount int    `json:"retryCount"` // attempts after the first
}

// PhotoBatch is a set of jobs that were created together.
type PhotoBatch struct {
	BatchID    string         `json:"batchId"`
	Status     string         `json:"status"` // QUEUED, PROCESSING, COMPLETED, PARTIAL, FAILED
	UpdatedAt  time.Time      `json:"updatedAt"`
	Total      int            `json:"total"` // number of jobs at creation
	Queued     int            `json:"queued"`
	Processing int            `json:"processing"`
	Editing    int            `json:"editing"`
	Completed  int            `json:"completed"`
	Failed     int            `json:"failed"`
	Deleted    int            `json:"deleted"`
	Photos     []PhotoInBatch `json:"photos"`
}

// PhotoInBatch is a job as shown in its batch.
type PhotoInBatch struct {
	JobID     string `json:"jobId"`
	FileName  string `json:"fileName,omitempty"`
	Status    string `json:"status"`
	ErrorCode string `json:"errorCode,omitempty"` // set when FAILED
}

// Ended reports whether all jobs of the batch are final or deleted.
func (b PhotoBatch) Ended() bool { return b.Completed+b.Failed+b.Deleted == b.Total }

// GetPhoto returns a job. If wait is positive, the server holds the response until the job is final
// or wait has passed. The server limits wait.
func (c *Client) GetPhoto(ctx context.Context, jobID string, wait time.Duration) (Photo, error) {
	var photo Photo
	err := c.do(ctx, held(join("photos", jobID), wait), &photo)
	return photo, err
}

// WaitPhoto returns the job when it is final. It waits until ctx is done.
func (c *Client) WaitPhoto(ctx context.Context, jobID string) (Photo, error) {
	for {
		photo, err := c.GetPhoto(ctx, jobID, longPoll)
		if err != nil || photo.Final() {
			return photo, err
		}
	}
}

// GetPhotoBatch returns a batch. For wait, see GetPhoto.
func (c *Client) GetPhotoBatch(ctx context.Context, batchID string, wait time.Duration) (PhotoBatch, error) {
	var batch PhotoBatch
	err := c.do(ctx, held(join("photo-batches", batchID), wait), &batch)
	return batch, err
}

// PhotoChange describes changes for a retry; nil fields are not changed.
type PhotoChange struct {
	Prompt  *string       `json:"prompt,omitempty"`
	Options *PhotoOptions `json:"options,omitempty"`
}

// RetryPhoto queues a FAILED job again. It returns a Problem with status 409 in any other state,
// and 410 if the uploaded photo has been removed.
func (c *Client) RetryPhoto(ctx context.Context, jobID string, change PhotoChange) (Photo, error) {
	var photo Photo
	err := c.do(ctx, call{method: http.MethodPost, path: join("photos", jobID, "retry"), body: change, once: true}, &photo)
	return photo, err
}

// CancelPhoto cancels a job, which becomes FAILED. It returns a Problem with status 409 if the job has already
// finished.
func (c *Client) CancelPhoto(ctx context.Context, jobID string) (Photo, error) {
	var photo Photo
	err := c.do(ctx, call{method: http.MethodPost, path: join("photos", jobID, "cancel")}, &photo)
	return photo, err
}

// DeletePhoto removes a job and its photos. A missing job is not an error.
func (c *Client) DeletePhoto(ctx context.Context, jobID string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("photos", jobID)}, nil)
}

// RetryPhotoBatch queues the FAILED jobs of a batch again.
func (c *Client) RetryPhotoBatch(ctx context.Context, batchID string) (PhotoBatch, error) {
	var batch PhotoBatch
	err := c.do(ctx, call{method: http.MethodPost, path: join("photo-batches", batchID, "retry"), once: true}, &batch)
	return batch, err
}

// DeletePhotoBatch removes the jobs of a batch and their photos.
func (c *Client) DeletePhotoBatch(ctx context.Context, batchID string) error {
	return c.do(ctx, call{method: http.MethodDelete, path: join("photo-batches", batchID)}, nil)
}

// Variants of a photo that can be downloaded.
const (
	EditedPhoto   = "final"
	OriginalPhoto = "original"
)

// DownloadPhoto returns the edited photo or the original. It returns a Problem with status 409
// until the photo exists, and 410 after it was removed. The caller closes it.
func (c *Client) DownloadPhoto(ctx context.Context, jobID, variant string) (io.ReadCloser, error) {
	return c.downloadPhoto(ctx, jobID, url.Values{"variant": {variant}})
}

func (c *Client) downloadPhoto(ctx context.Context, jobID string, query url.Values) (io.ReadCloser, error) {
	resp, err := c.open(ctx, call{
		method: http.MethodGet, path: join("photos", jobID, "download"), query: query, header: http.Header{"Accept": {"*/*"}},
	})
	if err != nil {
		return nil, err
	}
	return resp.Body, nil
}

// DownloadPhotoOutput returns a further result of an edit, the first with n = 1. Its errors are those of DownloadPhoto. The
// caller closes it.
func (c *Client) DownloadPhotoOutput(ctx context.Context, jobID string, n int) (io.ReadCloser, error) {
	return c.downloadPhoto(ctx, jobID, url.Values{"output": {strconv.Itoa(n)}})
}

// PhotoPage is one page of a list. NextCursor is empty on the last page.
type PhotoPage struct {
	Photos     []Photo `json:"photos"`
	NextCursor string  `json:"nextCursor,omitempty"`
}

// ListPhotosPage returns one page. It may contain fewer jobs than the limit, or none, without being
// the last.
func (c *Client) ListPhotosPage(ctx context.Context, l Listing) (PhotoPage, error) {
	var page PhotoPage
	op, err := c.listing(ctx, l, "photos")
	if err == nil {
		err = c.do(ctx, op, &page)
	}
	return page, err
}

// ListPhotos iterates over all jobs from l.Cursor, newest first, reading pages as needed. It stops
// after the first error.
func (c *Client) ListPhotos(ctx context.Context, l Listing) iter.Seq2[Photo, error] {
	return func(yield func(Photo, error) bool) {
		for {
			page, err := c.ListPhotosPage(ctx, l)
			if err != nil {
				yield(Photo{}, err)
				return
			}
			for _, photo := range page.Photos {
				if !yield(photo, nil) {
					return
				}
			}
			if l.Cursor = page.NextCursor; l.Cursor == "" {
				return
			}
		}
	}
}

// PhotoPlan is what the local provider understands of a prompt.
type PhotoPlan struct {
	Steps      []PhotoStep `json:"steps"`
	Unknown    []string    `json:"unknown"` // parts that are skipped
	Suggestion string      `json:"suggestion,omitempty"`
}

// PhotoStep is one step of a plan. Fields that its operation does not use are zero.
type PhotoStep struct {
	PhotoOperation
	Description string `json:"description"`
}

// PhotoOperation is one edit. The API document describes its fields.
type PhotoOperation struct {
	Op          string  `json:"op"`
	Percent     int     `json:"percent,omitempty"`
	Strength    string  `json:"strength,omitempty"` // light, medium, strong
	AspectRatio string  `json:"aspectRatio,omitempty"`
	Width       int     `json:"width,omitempty"`  // pixels
	Height      int     `json:"height,omitempty"` // pixels
	X           int     `json:"x,omitempty"`
	Y           int     `json:"y,omitempty"`
	Gravity     string  `json:"gravity,omitempty"`
	Color       string  `json:"color,omitempty"`   // #rrggbb
	Degrees     float64 `json:"degrees,omitempty"` // clockwise
	Vertical    bool    `json:"vertical,omitempty"`
	Text        string  `json:"text,omitempty"`
	Logo        string  `json:"logo,omitempty"` // the ID of a photo
	Opacity     int     `json:"opacity,omitempty"`
	Format      string  `json:"format,omitempty"`
	Quality     int     `json:"quality,omitempty"`
}

// ExplainPhoto returns the plan of a prompt with options, without a photo.
func (c *Client) ExplainPhoto(ctx context.Context, prompt string, o PhotoOptions) (PhotoPlan, error) {
	var plan PhotoPlan
	body := struct {
		Prompt  string       `json:"prompt"`
		Options PhotoOptions `json:"options"`
	}{prompt, o}
	err := c.do(ctx, call{method: http.MethodPost, path: join("photos", "explain"), body: body}, &plan)
	return plan, err
}
