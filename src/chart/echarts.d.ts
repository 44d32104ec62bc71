/** This single file of ECharts loads in 0.12 s and 17 MB; its 600 modules take 0.7 s and 90 MB (Node 26, 2 cores). */
declare module 'echarts/dist/echarts.esm.min' {
  export * from 'echarts';
}
