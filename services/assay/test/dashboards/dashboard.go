// Package dashboards describes the Grafana dashboards in deploy/observability/grafana/dashboards, which its test writes.
package dashboards

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Dashboard is a Grafana dashboard. Its file and its address have the name UID.
type Dashboard struct {
	UID, Title, Description string
	Variables               []Variable
	Rows                    []Row
}

// Variable is a variable of a dashboard. Its values are those of a label.
type Variable struct {
	Name  string // used as $Name in queries
	Label string // for users
	Query string // such as label_values(up, job)
}

// Row is a row of panels with a title.
type Row struct {
	Title  string
	Panels []Panel
}

// Panel is a graph, or a number.
type Panel struct {
	Title       string
	Description string
	Unit        string  // a unit of Grafana, such as s, bytes, percentunit, ops or short
	Width       int     // of 24 columns; 0 means 8
	Number      bool    // shows the last value instead of a graph
	Stacked     bool    // stacks the series of a graph
	Alarm       float64 // a number is red at this value and above; 0 means never
	Queries     []Query
}

// Query is a PromQL query and the names of its series, such as {{area}}.
type Query struct{ Expr, Legend string }

// All returns all dashboards.
func All() []Dashboard {
	return []Dashboard{system(), area(), feed(), library(), photos(), engines()}
}

const (
	columns      = 24
	panelWidth   = 8
	panelHeight  = 7
	numberHeight = 4
)

type object = map[string]any

// source is the data source of all queries: a variable, so that the dashboards can be imported elsewhere.
func source() object { return object{"type": "prometheus", "uid": "${datasource}"} }

// JSON returns the dashboard in the format that Grafana imports and provisions.
func (d Dashboard) JSON() ([]byte, error) {
	variables := []object{{"name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus"}}
	for _, v := range d.Variables {
		variables = append(variables, object{
			"name": v.Name, "label": v.Label, "type": "query", "datasource": source(), "query": v.Query, "definition": v.Query, "refresh": 2, "sort": 1,
		})
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // queries contain < and >
	encoder.SetIndent("", " ")
	err := encoder.Encode(object{
		"uid": "assay-" + d.UID, "title": d.Title, "description": d.Description, "tags": []string{"assay"}, "schemaVersion": 41, "editable": false,
		"time": object{"from": "now-6h", "to": "now"}, "refresh": "30s", "graphTooltip": 1,
		"links":      []object{{"type": "dashboards", "title": "Assay", "tags": []string{"assay"}, "asDropdown": true, "keepTime": true}},
		"templating": object{"list": variables}, "panels": d.panels(),
	})
	return text.Bytes(), err
}

// panels returns the rows and their panels, from left to right and from top to bottom.
func (d Dashboard) panels() []object {
	var all []object
	y := 0
	for _, row := range d.Rows {
		all = append(all, object{"id": len(all) + 1, "type": "row", "title": row.Title, "gridPos": object{"x": 0, "y": y, "w": columns, "h": 1}, "panels": []object{}})
		y++
		x, height := 0, 0
		for _, p := range row.Panels {
			width := p.Width
			if width == 0 {
				width = panelWidth
			}
			if x+width > columns {
				x, y, height = 0, y+height, 0
			}
			size := panelHeight
			if p.Number {
				size = numberHeight
			}
			panel := p.panel()
			panel["id"], panel["gridPos"] = len(all)+1, object{"x": x, "y": y, "w": width, "h": size}
			all = append(all, panel)
			x, height = x+width, max(height, size)
		}
		y += height
	}
	return all
}

func (p Panel) panel() object {
	var targets []object
	for i, q := range p.Queries {
		targets = append(targets, object{"refId": fmt.Sprintf("%c", 'A'+i), "datasource": source(), "expr": q.Expr, "legendFormat": q.Legend})
	}
	defaults := object{"unit": p.Unit, "min": 0, "noValue": "–"}
	panel := object{
		"type": "timeseries", "title": p.Title, "description": p.Description, "datasource": source(), "targets": targets,
		"fieldConfig": object{"defaults": defaults, "overrides": []object{}},
	}
	if p.Number {
		steps := []object{{"value": nil, "color": "green"}}
		if p.Alarm != 0 {
			steps = append(steps, object{"value": p.Alarm, "color": "red"})
		}
		defaults["thresholds"] = object{"mode": "absolute", "steps": steps}
		panel["type"], panel["options"] = "stat", object{"reduceOptions": object{"calcs": []string{"lastNotNull"}}}
		return panel
	}
	custom := object{"fillOpacity": 10, "showPoints": "never"}
	if p.Stacked {
		custom["stacking"] = object{"mode": "normal"}
	}
	defaults["custom"] = custom
	panel["options"] = object{"legend": object{"displayMode": "list", "placement": "bottom"}, "tooltip": object{"mode": "multi", "sort": "desc"}}
	return panel
}

// number returns a panel with the value of one query.
func number(title, unit, expr string, alarm float64) Panel {
	return Panel{Title: title, Unit: unit, Width: 4, Number: true, Alarm: alarm, Queries: []Query{{Expr: expr}}}
}

// graph returns a panel with one query.
func graph(title, unit, expr, legend string) Panel {
	return Panel{Title: title, Unit: unit, Queries: []Query{{expr, legend}}}
}

func stacked(p Panel) Panel {
	p.Stacked = true
	return p
}
