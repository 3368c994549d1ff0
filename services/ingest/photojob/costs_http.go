package photojob

import (
	"cmp"
	"context"
	"time"

	"github.com/assay-project/assay/pkg/photojob/policy"
	"github.com/assay-project/assay/pkg/web"
)

type costsInput struct {
	From string `query:"from" format:"date" doc:"the first day (UTC); default: the first of the current month"`
	To   string `query:"to" format:"date" doc:"the last day (UTC); default: today"`
}

type costsOutput struct {
	Body struct {
		From       string         `json:"from"`
		To         string         `json:"to"`
		Calls      int            `json:"calls"`
		CostMicros int64          `json:"costMicros" doc:"in millionths of a US dollar"`
		Providers  []providerCost `json:"providers"`
	}
}

type providerCost struct {
	Name       string       `json:"name"`
	Calls      int          `json:"calls"`
	CostMicros int64        `json:"costMicros"`
	Days       []policy.Day `json:"days" doc:"the days with calls, newest last"`
}

func (a *Area) listCosts(ctx context.Context, in *costsInput) (*costsOutput, error) {
	now := time.Now().UTC()
	out := &costsOutput{}
	sum := &out.Body
	sum.From = cmp.Or(in.From, now.AddDate(0, 0, 1-now.Day()).Format(time.DateOnly))
	sum.To = cmp.Or(in.To, now.Format(time.DateOnly))
	if sum.From > sum.To {
		return nil, web.Invalid(web.FieldError{Field: "query.from", Message: "is after " + sum.To})
	}
	for _, name := range policy.Paid() {
		state, err := a.policies.State(ctx, name)
		if err != nil {
			return nil, err
		}
		cost := providerCost{Name: name, Days: state.Between(sum.From, sum.To)}
		for _, day := range cost.Days {
			cost.Calls += day.Calls
			cost.CostMicros += day.CostMicros
		}
		sum.Calls += cost.Calls
		sum.CostMicros += cost.CostMicros
		sum.Providers = append(sum.Providers, cost)
	}
	return out, nil
}
