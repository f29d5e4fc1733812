module cdk8s-tpu-serving/test/cluster/tools/oldest-rayservice

go 1.26.0

require github.com/ray-project/kuberay/ray-operator v1.3.0
