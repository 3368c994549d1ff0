package web

import (
	"context"
	"maps"
	"mime"
	"net/http"
	"slices"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/assay-project/assay/pkg/obs"
)

// Options configure a Router. The zero value of each field is usable.
type Options struct {
	Title       string // title of the API, in /openapi.json and /docs
	Version     string // version of the API
	Description string // description of the API, in Markdown
	Events      []byte // AsyncAPI description in YAML, shown at /docs/events; empty for none
	Log         zerolog.Logger
	Registry    *prometheus.Registry // for the metrics; nil creates one. Routers can share one.
	Metrics     bool                 // whether /metrics serves the registry
	Health      *obs.Health          // served at /healthz and /readyz; nil creates one without checks
	Writable    func() error         // if it returns an error, requests that may store something are rejected with 503; nil rejects none
	Bodies      *Bodies              // limits the memory of request bodies; nil creates one with DefaultBodies. Routers can share one.
	Hosts       Hosts                // host names under which requests are accepted
	Audit       Audit                // records requests that may change something; nil records none
	Throttle    *Throttle            // limits requests and streams of owners; nil limits none
	LocalOwner  string               // returned by LocalOwner; empty for none
	Roles       []Role               // granted to every caller of this address; with Authenticate, required of every caller

	// Authenticate resolves the caller of a request from its credential. If nil, all callers are anonymous.
	Authenticate Authenticate
}

// Router is one HTTP address: typed operations, plain handlers and one OpenAPI document for both.
// Several services may register on one router. Registration must end before the first request.
//
// It serves /openapi.json, /docs, /healthz and /readyz, and with Options.Metrics /metrics.
type Router struct {
	API huma.API       // use Register to add an operation
	Mux *http.ServeMux // for routes outside the API, such as the files of the web app

	// Bodies limits the bodies that handlers buffer. Typed operations are counted automatically; a
	// plain handler that buffers a body takes a Hold.
	Bodies *Bodies

	log      zerolog.Logger
	metrics  metrics
	queries  func() map[string][]string // result of queryNames, computed at the first request
	origin   crossOrigin
	writable func() error
	hosts    Hosts
	roles    []Role

	localOwner   string
	authenticate Authenticate
	forwards     bool                                 // set by Forwards
	anonymous    map[string]func(*http.Request) error // set by Anonymous, by prefix
	access       func() map[string]access             // result of accesses, computed at the first request
	throttle     *Throttle
	packers      packers
	audit        Audit
	refused      recordedRefusals

	operations func() map[string]string // result of operationIDs, computed at the first write
	missing    http.Handler             // set by Missing
}

// NewRouter returns a router.
func NewRouter(o Options) *Router {
	if o.Registry == nil {
		o.Registry = obs.NewRegistry()
	}
	if o.Health == nil {
		o.Health = &obs.Health{}
	}
	if o.Bodies == nil {
		o.Bodies = NewBodies(DefaultBodies)
	}
	configureFields()
	document := newDocument(o)
	mux := http.NewServeMux()
	// huma's own document and page are disabled: it builds the document without a lock on the first
	// request, and its page loads an external script.
	api := humago.New(mux, huma.Config{
		OpenAPI:       document,
		Formats:       map[string]huma.Format{"application/json": jsonFormat(), "json": jsonFormat()},
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{transform(document.Components.Schemas)},
	})
	r := &Router{
		API: api, Mux: mux, Bodies: o.Bodies, log: o.Log,
		metrics:  newMetrics(o.Registry),
		origin:   crossOrigin{http.NewCrossOriginProtection()},
		writable: o.Writable,
		hosts:    o.Hosts,
		roles:    o.Roles,

		localOwner:   o.LocalOwner,
		authenticate: o.Authenticate,
		anonymous:    map[string]func(*http.Request) error{},
		throttle:     o.Throttle,
		audit:        o.Audit,
	}
	r.access = sync.OnceValue(r.accesses)
	r.queries = sync.OnceValue(r.queryNames)
	r.operations = sync.OnceValue(r.operationIDs)
	mux.HandleFunc("GET /healthz", o.Health.Live)
	mux.HandleFunc("GET /readyz", o.Health.Ready)
	if o.Metrics {
		mux.Handle("GET /metrics", obs.MetricsHandler(o.Registry))
	}
	mux.HandleFunc("GET /openapi.json", documentHandler(api.OpenAPI()))
	handleDocs(mux, o.Title, o.Events)
	return r
}

// Forwards declares that the handlers of the router's operations forward requests to services. The router then leaves
// the parameters of a request to the service, which checks the credential first.
func (r *Router) Forwards() { r.forwards = true }

// Missing sets the handler that responds, with status 404, to browsers that open an address without a pattern. Other
// clients get a problem.
func (r *Router) Missing(page http.Handler) { r.missing = page }

// Counts creates the metrics of an operation that a handler of Mux serves.
func (r *Router) Counts(op *huma.Operation) { r.metrics.expect(op) }

// Register adds a typed JSON operation, with the problems that it can return beyond the common ones. Use it
// instead of huma.Register, which loses the identity of errors: here a returned error becomes the problem
// that WriteError would send.
func Register[I, O any](r *Router, op huma.Operation, handler func(context.Context, *I) (*O, error), refusals ...Refusals) {
	// holdBody comes last, so that a body that OnMediaType passes to a streaming handler is not counted.
	op.Middlewares = append(slices.Clip(op.Middlewares), r.holdBody)
	// PaceBodies limits the time of a body. Huma's own deadline, 5 seconds by default, would stay on the connection,
	// where net/http reads ahead to detect a client that disconnects: it would cancel a longer request without a body.
	op.BodyReadTimeout = -1
	huma.Register(r.API, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := handler(ctx, in)
		if err != nil {
			return nil, problemOf(ctx, err)
		}
		return out, nil
	})
	if op.Hidden {
		return
	}
	_, creates := any(new(I)).(interface{ Named() bool }) // OwnerParam
	r.describe(r.registered(op), creates, refusals)
}

// Handle adds a plain handler, such as an upload or live events, and its operation to the OpenAPI document unless
// op.Hidden. The caller describes parameters, body and responses in op, and the problems beyond the common ones. If
// op.MaxBodyBytes is positive, reading more bytes than that from the body fails. The handler reports errors with
// WriteError.
func (r *Router) Handle(op huma.Operation, handler http.HandlerFunc, refusals ...Refusals) {
	r.Mux.HandleFunc(op.Method+" "+op.Path, func(w http.ResponseWriter, req *http.Request) {
		if op.MaxBodyBytes > 0 {
			req.Body = http.MaxBytesReader(w, req.Body, op.MaxBodyBytes)
		}
		handler(w, req)
	})
	if op.Hidden {
		return
	}
	op.Responses = maps.Clone(op.Responses)
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	r.API.OpenAPI().AddOperation(&op)
	r.describe(&op, false, refusals)
}

// registered returns the operation that huma created from op.
func (r *Router) registered(op huma.Operation) *huma.Operation {
	for pattern, made := range Operations(&huma.OpenAPI{Paths: map[string]*huma.PathItem{op.Path: r.API.OpenAPI().Paths[op.Path]}}) {
		if pattern == op.Method+" "+op.Path {
			return made
		}
	}
	return nil
}

// OnMediaType returns a middleware for a typed operation that also accepts one other kind of body, such
// as multipart/form-data: requests of that media type go to the plain handler. The operation's own
// RequestBody describes the other body; its MaxBodyBytes does not apply.
func OnMediaType(mediaType string, handler http.HandlerFunc) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		if sent, _, err := mime.ParseMediaType(ctx.Header("Content-Type")); err == nil && sent == mediaType {
			r, w := humago.Unwrap(ctx)
			handler(w, r)
			return
		}
		next(ctx)
	}
}
