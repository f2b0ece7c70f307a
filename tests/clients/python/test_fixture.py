# test_fixture.py
from kubernetes import client


def test_a_config_map(api):
    core = client.CoreV1Api(api)
    core.create_namespaced_config_map("default", {"metadata": {"name": "a"}, "data": {"color": "red"}})
    assert core.read_namespaced_config_map("a", "default").data == {"color": "red"}
