{{- /* assay.hosts are the names under which requests are accepted. */}}
{{- define "assay.hosts" -}}
{{- $hosts := concat .Values.publicHosts .Values.httpRoute.hostnames -}}
{{- with .Values.ingress.host }}{{ $hosts = append $hosts . }}{{ end -}}
{{- $services := list (include "assay.frontService" .) (printf "%s-operator" (include "assay.fullname" .)) -}}
{{- if ne .Values.mode "single" -}}
{{- range list "ingest" "analyzer" "query" }}{{ $services = append $services (printf "%s-%s" (include "assay.fullname" $) .) }}{{ end -}}
{{- end -}}
{{- range $services -}}
{{- $hosts = concat $hosts (list . (printf "%s.%s.svc" . $.Release.Namespace) (printf "%s.%s.svc.%s" . $.Release.Namespace $.Values.clusterDomain)) -}}
{{- end -}}
{{- join "," ($hosts | uniq) }}
{{- end }}

{{- /* assay.exposed are the variables of programs with an HTTP address. */}}
{{- define "assay.exposed" -}}
{{- with get (include "assay.programs" .root | fromYaml) .program -}}
ASSAY_ADDR: ":{{ .http }}"
ASSAY_OPERATOR_ADDR: ":{{ .operator }}"
{{- end }}
ASSAY_AUTH: {{ .root.Values.auth.mode }}
{{- if eq .root.Values.auth.mode "none" }}
ASSAY_ALLOW_ANONYMOUS: "true" # NetworkPolicies and the proxy restrict the access
{{- end }}
ASSAY_PUBLIC_HOSTS: {{ include "assay.hosts" .root | quote }}
ASSAY_DRAIN: {{ .root.Values.drainSeconds }}s
{{- end }}

{{- /* assay.identity are the variables of programs that authenticate callers. */}}
{{- define "assay.identity" -}}
{{- with .root.Values.auth.oidc }}
{{- with .issuer }}
ASSAY_OIDC_ISSUER: {{ . | quote }}
{{- end }}
{{- with .clientId }}
ASSAY_OIDC_CLIENT_ID: {{ . | quote }}
{{- end }}
{{- with .audience }}
ASSAY_OIDC_AUDIENCE: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* assay.backends are the variables of programs with DynamoDB, S3 and NATS. */}}
{{- define "assay.backends" -}}
{{- $root := .root -}}
AWS_REGION: {{ $root.Values.aws.region }}
{{- with $root.Values.aws.dynamodbEndpoint }}
ASSAY_DYNAMODB_ENDPOINT: {{ . | quote }}
{{- end }}
{{- with $root.Values.aws.s3Endpoint }}
ASSAY_S3_ENDPOINT: {{ . | quote }}
{{- end }}
{{- with $root.Values.aws.s3PublicEndpoint }}
ASSAY_S3_PUBLIC_ENDPOINT: {{ . | quote }}
{{- end }}
{{- if $root.Values.nats.enabled }}
ASSAY_NATS_URL: nats://{{ include "assay.natsName" $root }}:4222
ASSAY_NATS_SYNC: {{ $root.Values.nats.config.jetstream.merge.sync_interval }}
ASSAY_NATS_REPLICAS: {{ $root.Values.nats.config.cluster.enabled | ternary (min 3 $root.Values.nats.config.cluster.replicas) 1 | quote }}
{{- else }}
ASSAY_NATS_URL: {{ required "externalNats.url or nats.enabled is required in the mode services" $root.Values.externalNats.url | quote }}
ASSAY_NATS_SYNC: {{ $root.Values.externalNats.sync }}
ASSAY_NATS_REPLICAS: {{ $root.Values.externalNats.replicas | quote }}
{{- end }}
{{- if $root.Values.externalNats.credentialsSecret }}
ASSAY_NATS_CREDENTIALS: /etc/nats/{{ .program }}.creds
{{- else if $root.Values.global.natsSecret }}
ASSAY_NATS_USER: {{ .program }}
{{- end }}
{{- end }}

{{- /* assay.natsName is the name of the Service of the chart nats. */}}
{{- define "assay.natsName" -}}
{{- get .Values.nats "fullnameOverride" | default (contains "nats" .Release.Name | ternary .Release.Name (printf "%s-nats" .Release.Name)) }}
{{- end }}

{{- /* assay.secrets are the variables from Secrets, as name: {name: SECRET, key: KEY}. */}}
{{- define "assay.secrets" -}}
{{- $values := .root.Values -}}
{{- if ne $values.mode "single" -}}
{{- with $values.aws.existingSecret }}
AWS_ACCESS_KEY_ID: {name: {{ . }}, key: {{ $.program }}-access-key}
AWS_SECRET_ACCESS_KEY: {name: {{ . }}, key: {{ $.program }}-secret-key}
{{- end }}
{{- if and $values.global.natsSecret (not $values.externalNats.credentialsSecret) }}
ASSAY_NATS_PASSWORD: {name: {{ $values.global.natsSecret }}, key: {{ .program }}}
{{- end }}
{{- end }}
{{- if and $values.auth.oidc.clientSecret.name (ne .program "setup") }}
ASSAY_OIDC_CLIENT_SECRET: {{ $values.auth.oidc.clientSecret | toJson }}
{{- end }}
{{- end }}

{{- /* assay.variables are the variables that the chart sets for a program, as YAML. */}}
{{- define "assay.variables" -}}
{{- if eq .program "setup" -}}
{{ include "assay.backends" . }}
{{- else if eq .program "gateway" -}}
{{ include "assay.exposed" . }}
{{- $name := include "assay.fullname" .root }}
ASSAY_INGEST_URL: http://{{ $name }}-ingest:8081
ASSAY_QUERY_URL: http://{{ $name }}-query:8083
ASSAY_INGEST_OPERATOR_URL: http://{{ $name }}-ingest:8084
ASSAY_QUERY_OPERATOR_URL: http://{{ $name }}-query:8085
ASSAY_ANALYZER_OPERATOR_URL: http://{{ $name }}-analyzer:8086
{{- else if eq .program "serve" -}}
{{ include "assay.exposed" . }}
{{ include "assay.identity" . }}
ASSAY_DATA_DIR: /data/assay # the program must own it; the volume belongs to root
ASSAY_S3_ADDR: 0.0.0.0:9000
ASSAY_S3_PUBLIC_ENDPOINT: {{ .root.Values.serve.s3PublicEndpoint | quote }}
ASSAY_WAITS_PER_CLIENT: "2000" # all clients connect through a proxy
ASSAY_LIVE_READERS_PER_CLIENT: "10000"
{{- else -}}
{{ include "assay.exposed" . }}
{{ include "assay.identity" . }}
{{ include "assay.backends" . }}
{{- if ne .program "ingest" }}
ASSAY_ENGINES: /cache/engines
{{- end }}
{{- if eq .program "query" }}
ASSAY_INDEX: /cache/search/index.db
ASSAY_WAITS_PER_CLIENT: "2000" # all clients connect through the gateway
ASSAY_LIVE_READERS_PER_CLIENT: "10000"
{{- end }}
{{- end }}
{{- end }}

{{- /* assay.env is the list of variables of a container. Later values override earlier ones. */}}
{{- define "assay.env" -}}
{{- $own := index .root.Values .program -}}
{{- $env := include "assay.variables" . | fromYaml -}}
{{- if not (has .program (list "gateway" "serve")) }}{{ $env = mergeOverwrite $env .root.Values.aws.environment }}{{ end -}}
{{- $env = mergeOverwrite $env .root.Values.config $own.config -}}
{{- $secrets := dict -}}
{{- if ne .program "gateway" }}{{ $secrets = include "assay.secrets" . | fromYaml }}{{ end -}}
{{- $secrets = mergeOverwrite $secrets $own.secretEnv -}}
{{- range $name, $value := $env }}
{{- if not (hasKey $secrets $name) }}
- {name: {{ $name }}, value: {{ $value | toString | quote }}}
{{- end }}
{{- end }}
{{- range $name, $from := $secrets }}
- name: {{ $name }}
  valueFrom: {secretKeyRef: {{ pick $from "name" "key" | toJson }}}
{{- end }}
{{- end }}
