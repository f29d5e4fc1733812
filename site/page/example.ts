/** A server with mistakes that schema validation does not find, to try the checks. */
export const EXAMPLE = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: llama
spec:
  replicas: 2
  selector:
    matchLabels:
      app: llama
  template:
    metadata:
      labels:
        app: llama
    spec:
      nodeSelector:
        cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice
        cloud.google.com/gke-tpu-topology: 2x4
      containers:
        - name: server
          image: vllm/vllm-tpu:v0.27.0
          command: [python3, -m, vllm.entrypoints.openai.api_server]
          args:
            - --model=meta-llama/Llama-3.3-70B-Instruct
            - --tensor-parallel-size=16
            - --max-model-len=4096
          ports:
            - containerPort: 8000
          livenessProbe:
            httpGet:
              path: /health
              port: 8000
          resources:
            limits:
              google.com/tpu: "8"
`;
