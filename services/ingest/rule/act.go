package rule

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/assay-project/assay/pkg/event"
	"github.com/assay-project/assay/pkg/platform"
	"github.com/assay-project/assay/pkg/saved"
	"github.com/assay-project/assay/pkg/web"
	"github.com/assay-project/assay/services/ingest/accept"
	"github.com/assay-project/assay/services/ingest/send"
)

// do does what an entry of the log of an item plans, and returns the entry with the result. It can be repeated. It returns an error if a
// later attempt may succeed.
func (s *Service) do(ctx context.Context, m match, log saved.Log, e saved.Entry) (saved.Entry, error) {
	err := s.act(ctx, m, log, &e)
	refused, isProblem := errors.AsType[*web.Problem](err)
	switch {
	case err == nil:
		e.Status = saved.Done
	case isProblem && refused.Status < http.StatusInternalServerError && refused.Status != http.StatusTooManyRequests:
		e.Status, e.Detail = saved.Failed, text(refused)
	default:
		return e, fmt.Errorf("rule %s on %s %s: %w", e.Rule, m.Area, m.Id, err)
	}
	e.At = time.Now().UTC().Truncate(time.Millisecond)
	return e, nil
}

// text returns a problem as text for the log.
func text(p *web.Problem) string {
	all := []string{p.Detail}
	if p.Detail == "" {
		all[0] = p.Title + "."
	}
	for _, field := range p.Errors {
		_, name, _ := strings.Cut(field.Field, ".")
		all = append(all, name+" "+field.Message+".")
	}
	return strings.Join(all, " ")
}

func (s *Service) act(ctx context.Context, m match, log saved.Log, e *saved.Entry) error {
	switch a := e.Action; {
	case a.Tag != "":
		return s.o.Tags.Tag(ctx, m.caller, m.item, a.Tag)
	case a.Untag != "":
		return s.o.Tags.Untag(ctx, m.caller, m.item, a.Untag)
	case a.Move != "":
		move := s.o.Movers[m.Area]
		if move == nil {
			return web.NewProblem(http.StatusConflict, "no-folders", "Only files of the library are in folders. Restrict the rule by its areas.")
		}
		if a.Move == saved.Root {
			a.Move = ""
		}
		return move(ctx, m.caller, m.Id, a.Move)
	case a.Send != "":
		return s.send(ctx, m, log, e, send.Order{To: a.Send})
	case a.Edit != nil:
		order := send.Order{To: s.o.Photos, Prompt: a.Edit.Prompt}
		if len(a.Edit.Options) > 0 {
			options, err := json.Marshal(a.Edit.Options)
			if err != nil {
				return err
			}
			order.Options = send.Options{RawMessage: options}
		}
		return s.send(ctx, m, log, e, order)
	case a.Notify != "":
		return s.o.Bus.Publish(ctx, saved.NewRuleNotified(m.cause, &event.RuleNotified{
			Area: m.Area, Id: m.Id, OwnerId: m.OwnerId, Name: m.Name, Rule: e.Rule, Message: a.Notify, NotifiedAt: timestamppb.New(m.MatchedAt.AsTime()),
		}))
	}
	return web.NewProblem(http.StatusConflict, "unknown-action", "A newer version of Assay has saved this action.")
}

// send creates an item with the content of the item, which for a photo is the edited one. A repetition finds the item that was created. The log of
// the new item, which is written before the item exists, contains the rules that led to it.
func (s *Service) send(ctx context.Context, m match, log saved.Log, e *saved.Entry, o send.Order) error {
	origin := &saved.Origin{From: m.item, Rules: []string{e.Rule}}
	if log.Origin != nil {
		origin.Rules = append(slices.Clone(log.Origin.Rules), e.Rule)
	}
	hash := sha256.Sum256([]byte(strings.Join([]string{e.Rule, m.Area, m.Id, strconv.FormatInt(e.Ended, 10), e.Cause, o.To, o.Prompt, string(o.Options.RawMessage)}, "\x00")))
	o.Owner, o.Named, o.Key = m.OwnerId, true, "rule/"+hex.EncodeToString(hash[:16])
	if m.Area == s.o.Photos {
		o.Content = send.Result
	}
	ctx = accept.Before(ctx, func(ctx context.Context, area, id string) error {
		_, err := s.logs.Put(ctx, m.OwnerId, saved.Item{Area: area, ID: id}, saved.Log{Origin: origin})
		if errors.Is(err, platform.ErrChanged) {
			err = nil // an earlier attempt has written it
		}
		return err
	})
	sent, err := s.o.Sender.Send(ctx, m.caller, m.item, o)
	if err != nil {
		return err
	}
	e.Created = &saved.Item{Area: sent.Area, ID: sent.ID}
	return nil
}
