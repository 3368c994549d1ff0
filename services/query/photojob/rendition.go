package photojob

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assay-project/assay/pkg/blob"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/lifecycle"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/rendition"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/pkg/web"
)

const (
	// waiting and waitingPerClient are the limits of requests whose rendition is drawn or waits for that.
	waiting          = 128
	waitingPerClient = 32
	// drawTime limits drawing a rendition, including the time spent waiting for memory and a processor.
	drawTime = time.Minute
	// maxCached is the maximum time for which caches may use a rendition without asking again, so that a deleted photo
	// disappears from them.
	maxCached = 24 * time.Hour

	crossOrigin = "Cross-Origin-Resource-Policy"
)

// Outcomes of drawing a rendition, in metrics.
const (
	drawnOK    = "ok"
	drawnError = "error"
)

// renditions draws renditions, and caches them.
type renditions struct {
	decoder *pixels.Decoder
	signer  *rendition.Signer
	cache   *otter.Cache[string, []byte] // by ETag; concurrent requests for a key share one drawing
	turns   chan struct{}                // one for each processor
	limiter *web.Limiter
	drawn   *prometheus.HistogramVec
}

func newRenditions(cfg Config, decoder *pixels.Decoder, signer *rendition.Signer, reg prometheus.Registerer) (*renditions, error) {
	cache, err := otter.New(&otter.Options[string, []byte]{
		MaximumWeight: uint64(max(cfg.Cache, 1)), Weigher: func(key string, body []byte) uint32 { return uint32(len(key) + len(body)) },
	})
	if err != nil {
		return nil, fmt.Errorf("create the cache of renditions: %w", err)
	}
	drawn := promauto.With(reg).NewHistogramVec(prometheus.HistogramOpts{
		Name:    "assay_photo_rendition_duration_seconds",
		Help:    "Time to draw a rendition of a photo that is not in the cache, including the time spent waiting, by outcome (ok, error).",
		Buckets: []float64{0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60},
	}, []string{"outcome"})
	for _, outcome := range []string{drawnOK, drawnError} {
		drawn.WithLabelValues(outcome)
	}
	return &renditions{
		decoder: decoder, signer: signer, cache: cache, turns: make(chan struct{}, runtime.GOMAXPROCS(0)),
		limiter: web.NewHeldLimiter("renditions", waiting, waitingPerClient),
		drawn:   drawn,
	}, nil
}

func renditionOperation() huma.Operation {
	text := &huma.Schema{Type: "string"}
	headers := map[string]*huma.Param{"Cache-Control": {Schema: text}, "ETag": {Schema: text}, crossOrigin: {Schema: text}}
	binary := &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	return huma.Operation{
		OperationID: "get-photo-rendition", Method: http.MethodGet, Path: "/v1/photos/{id}/{file}", Security: web.PublicSecurity, Tags: []string{"photos"},
		Summary: "Load a photo in a size, shape and format",
		Description: "The URL comes from POST /v1/photos/{id}/urls, and needs no other credential. The name states the rendition: w800 and h600 are the " +
			"maximum size, cover fills it, c16x9 crops to a ratio, north is the part that a crop keeps, q70 is the quality, and original is the uploaded photo.",
		Parameters: []*huma.Param{
			{Name: "id", In: "path", Required: true, Schema: text, Description: "a ULID"},
			{Name: "file", In: "path", Required: true, Schema: text, Example: "w800h600-cover-q70.webp"},
			{Name: rendition.ExpiresParam, In: "query", Required: true, Schema: &huma.Schema{Type: "integer"}},
			{Name: rendition.SignatureParam, In: "query", Required: true, Schema: text},
			{Name: "If-None-Match", In: "header", Schema: text},
		},
		Responses: map[string]*huma.Response{
			"200": {Description: "The picture", Headers: headers, Content: map[string]*huma.MediaType{"image/jpeg": binary, "image/png": binary, "image/webp": binary}},
			"304": {Description: "The picture has not changed", Headers: headers},
		},
	}
}

// rendition is the plain handler of renditionOperation.
func (a *Area) rendition(w http.ResponseWriter, r *http.Request) {
	err := a.sendRendition(w, r)
	if errors.Is(err, lifecycle.ErrNotFound) {
		// A code of its own, because a credential would not help.
		err = web.NewProblem(http.StatusNotFound, "rendition-not-found", "There is no photo or no rendition with this URL.")
	}
	if err != nil {
		web.WriteError(w, r, problem(err))
	}
}

func (a *Area) sendRendition(w http.ResponseWriter, r *http.Request) error {
	id, name := r.PathValue("id"), r.PathValue("file")
	wanted, ok := rendition.Parse(name)
	if !ok || !photojob.ValidID(id) {
		return lifecycle.ErrNotFound
	}
	created, expires, err := a.renditions.signer.Verify(r.Context(), id, name, r.URL.Query(), time.Now())
	if err != nil {
		return err
	}
	job, err := a.store.Get(r.Context(), id)
	if err == nil && job.CreatedAt != created {
		err = lifecycle.ErrNotFound // it was deleted; this is another one
	}
	if err != nil {
		return err
	}
	from, key := a.final, job.S3FinalKey
	if wanted.Original {
		from, key = a.temp, job.S3TempKey
	} else if job.Status != photojob.Completed {
		return errNotCompleted
	}
	etag := etagOf(key, name)
	header := w.Header()
	header.Set("ETag", etag)
	header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d, immutable", int(min(time.Until(expires), maxCached).Seconds())))
	header.Set(crossOrigin, "cross-origin") // pages of other sites show it
	header.Set("Content-Type", pixels.Format(wanted.Format).MediaType())
	if strings.Contains(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	body, err := a.renditions.get(r.Context(), etag, wanted, from, key)
	if errors.Is(err, errRemoved) && job.Status == photojob.Queued {
		err = errNotCompleted // not uploaded yet
	}
	if err != nil {
		for _, name := range []string{"ETag", "Cache-Control", "Content-Type", crossOrigin} {
			header.Del(name)
		}
		return err
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // fails if the client has disconnected
	return nil
}

// etagOf identifies a rendition of the photo with a key, which never changes.
func etagOf(key, name string) string {
	sum := sha256.Sum256([]byte(drawVersion + "\x00" + key + "\x00" + name))
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
}

// get returns a rendition from the cache, or draws it. Concurrent requests for one rendition draw it once; it is drawn to
// the end even if the first of them is canceled.
func (n *renditions) get(ctx context.Context, etag string, wanted rendition.Rendition, from *blob.Store, key string) ([]byte, error) {
	if body, cached := n.cache.GetIfPresent(etag); cached {
		return body, nil
	}
	leave, err := web.CallerOf(ctx).Enter(n.limiter, "pictures that are being drawn")
	if err != nil {
		return nil, err
	}
	defer leave()
	return n.cache.Get(ctx, etag, otter.LoaderFunc[string, []byte](func(ctx context.Context, _ string) (body []byte, err error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drawTime)
		defer cancel()
		defer func(began time.Time) {
			outcome := drawnOK
			if err != nil {
				outcome = drawnError
			}
			n.drawn.WithLabelValues(outcome).Observe(time.Since(began).Seconds())
		}(time.Now())
		select {
		case n.turns <- struct{}{}:
			defer func() { <-n.turns }()
		case <-ctx.Done():
			return nil, web.Unavailable("This server draws too many pictures at the moment.", time.Second)
		}
		photo, err := read(ctx, from, key)
		if err != nil {
			return nil, err
		}
		body, err = draw(ctx, n.decoder, photo, wanted)
		if err != nil && ctx.Err() == nil && reason.Stated(err) && reason.Permanent(err) {
			return nil, web.NewProblem(http.StatusUnprocessableEntity, "not-drawn", "The photo cannot be drawn: "+reason.Of(err)+".")
		}
		return body, err
	}))
}

// read returns the photo with a key, or errRemoved.
func read(ctx context.Context, from *blob.Store, key string) ([]byte, error) {
	body, err := from.Open(ctx, key, "")
	if errors.Is(err, blob.ErrNotFound) {
		return nil, errRemoved
	}
	if err != nil {
		return nil, err
	}
	defer body.Close()
	photo, err := io.ReadAll(io.LimitReader(body, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return photo, nil
}
