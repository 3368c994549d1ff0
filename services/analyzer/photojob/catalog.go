package photojob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-project/assay/pkg/bus"
	"github.com/assay-project/assay/pkg/extract/photo/grammar"
	"github.com/assay-project/assay/pkg/extract/pixels"
	"github.com/assay-project/assay/pkg/guard"
	"github.com/assay-project/assay/pkg/photojob"
	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/reason"
	"github.com/assay-project/assay/services/analyzer/photojob/provider"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/gemini"
	"github.com/assay-project/assay/services/analyzer/photojob/provider/seedream"
)

// catalog opens providers with the operators' settings, and decides which provider receives the next
// call of a job.
type catalog struct {
	policies *policy.Store
	bus      *bus.Bus
	stub     provider.Provider
	client   *http.Client
	decoder  *pixels.Decoder
	key      func(variable string) string
	metrics  *metrics
}

func newCatalog(cfg Config, policies *policy.Store, b *bus.Bus, stub provider.Provider, decoder *pixels.Decoder, m *metrics) *catalog {
	allowed := guard.Policy{Networks: cfg.AllowNetworks, NetworksSetting: "ASSAY_PHOTOJOB_ALLOW_NETWORKS"}
	return &catalog{
		policies: policies, bus: b, stub: stub, decoder: decoder, key: os.Getenv, metrics: m,
		client: guard.Client(allowed, 0), // no timeout here: every call has its own
	}
}

// opened is a provider with its current settings.
type opened struct {
	provider.Provider
	name    string
	policy  policy.Provider // zero for the stub provider
	key     string          // digest of the key; empty without a key
	permits bool            // whether calls need a permit
}

// open returns a provider with the current settings.
func (c *catalog) open(ctx context.Context, name string) (opened, error) {
	if name == photojob.Stub {
		return opened{Provider: c.stub, name: name}, nil
	}
	p, err := c.policies.Get(ctx, name)
	if errors.Is(err, policy.ErrUnknown) {
		return opened{}, permanent(photojob.CodeInternal, reason.ProviderMissing.Fill(name))
	}
	if err != nil {
		return opened{}, err
	}
	s, key := p.Settings, c.key(p.Settings.KeyVariable)
	o := opened{name: name, policy: p, permits: true}
	if key != "" {
		o.key = policy.Digest(key)
	}
	switch name {
	case photojob.Gemini:
		o.Provider = gemini.New(gemini.Config{
			BaseURL: s.BaseURL, Key: key,
			Analyze: gemini.Step{Model: s.AnalyzeModel, CostMicros: s.AnalyzeMicros, Time: s.Time(photojob.StepAnalyze)},
			Edit:    gemini.Step{Model: s.EditModel, CostMicros: s.EditMicros, Time: s.Time(photojob.StepEdit)},
		}, c.client, c.decoder)
	default:
		o.Provider = seedream.New(seedream.Config{
			BaseURL: s.BaseURL, Key: key, Model: s.EditModel, CostMicros: s.EditMicros, Time: s.Time(photojob.StepEdit),
		}, c.client, c.decoder)
	}
	return o, nil
}

// cost returns the maximum cost of a call for a step.
func (o opened) cost(step string) int64 { return o.Limits(provider.Step(step)).CostMicros }

// analyzes reports whether the provider supports the analysis of photos. If not, the stub provider performs it.
func (o opened) analyzes() bool {
	return o.name == photojob.Stub || o.policy.Settings.AnalyzeModel != ""
}

// held returns the reason why calls to the provider are currently not allowed, or nil.
func (c *catalog) held(ctx context.Context, o opened, cost int64) (*policy.Held, error) {
	if !o.permits {
		return nil, nil
	}
	held := o.noKey()
	if held == nil {
		var err error
		if held, err = c.policies.Held(ctx, o.policy, o.key, cost); err != nil {
			return nil, err
		}
	}
	c.metrics.held(o.name, held)
	return held, nil
}

// holds returns the reason why calls to the named provider are currently not allowed, or nil.
func (c *catalog) holds(ctx context.Context, name string) (*policy.Held, error) {
	o, err := c.open(ctx, name)
	if err != nil {
		return nil, err
	}
	return c.held(ctx, o, o.maxCost())
}

// noKey returns the hold of an enabled provider without a key.
func (o opened) noKey() *policy.Held {
	if o.key != "" || !o.policy.Settings.Enabled {
		return nil
	}
	return &policy.Held{
		Code: policy.HeldSuspended, Until: time.Now().Add(time.Minute),
		Err: fmt.Sprintf("the provider %s has no key: set %s", o.name, o.policy.Settings.KeyVariable),
	}
}

// gateEvery is the interval at which a closed gate is checked again, and the maximum age of a cached check.
const gateEvery = time.Second

// gate decides whether messages of a route may be requested. All workers of a process share its
// checks.
type gate struct {
	check func(context.Context) (open bool, err error)

	mu   sync.Mutex
	at   time.Time // time of the last check
	open bool
}

func (g *gate) isOpen(ctx context.Context) (bool, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if time.Since(g.at) < gateEvery {
		return g.open, nil
	}
	open, err := g.check(ctx)
	if err == nil {
		g.open, g.at = open, time.Now()
	}
	return open, err
}

// gate blocks while no provider of the chain may process a route. Messages then wait in the stream
// without using attempts.
func (c *catalog) gate(route string) func(context.Context) error {
	g := &gate{check: func(ctx context.Context) (bool, error) { return c.anyOpen(ctx, route) }}
	return func(ctx context.Context) error {
		for {
			open, err := g.isOpen(ctx)
			if open || err != nil {
				return err
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(gateEvery):
			}
		}
	}
}

// anyOpen reports whether a message of the route should be requested now.
func (c *catalog) anyOpen(ctx context.Context, route string) (bool, error) {
	first, err := c.open(ctx, route)
	if err != nil {
		return false, err
	}
	held, err := c.held(ctx, first, first.maxCost())
	if err != nil || held == nil {
		return held == nil, err
	}
	if !held.Off() {
		work := photojob.Work()
		waiting, err := c.bus.Messages(ctx, work.Stream, work.StoredAs(photojob.UploadedSubject(route, "*")), 1)
		if err != nil || len(waiting) == 0 || time.Since(waiting[0].Time) < first.policy.Settings.WaitTime() {
			return false, err
		}
	}
	for _, name := range first.policy.Settings.Fallback {
		next, err := c.open(ctx, name)
		if err != nil {
			return false, err
		}
		if held, err := c.held(ctx, next, next.maxCost()); err != nil || held == nil {
			return held == nil, err
		}
	}
	return false, nil
}

// maxCost returns the cost of the most expensive step.
func (o opened) maxCost() int64 {
	return max(o.cost(photojob.StepAnalyze), o.cost(photojob.StepEdit))
}

// chain returns the providers that may process a job with a prompt, in order: the one that was requested, and its
// fallbacks. skipped means that one of them was left out because it cannot do the prompt.
func (c *catalog) chain(ctx context.Context, route, prompt string) (all []opened, skipped bool, err error) {
	first, err := c.open(ctx, route)
	if err != nil {
		return nil, false, err
	}
	all = []opened{first}
	for _, name := range first.policy.Settings.Fallback {
		next, err := c.open(ctx, name)
		if err != nil {
			return nil, false, err
		}
		if next.can(prompt) {
			all = append(all, next)
		} else {
			skipped = true
		}
	}
	return slices.Clip(all), skipped, nil
}

// can reports whether the provider can do all of a prompt.
func (o opened) can(prompt string) bool {
	if o.name == photojob.Stub {
		return grammar.Understands(prompt)
	}
	most := o.Limits(provider.Edit).Words
	return most == 0 || len(strings.Fields(prompt)) <= most
}
